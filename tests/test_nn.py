"""Tests of `nn.mlp`: inference by hand, averages of members, files and their damage."""

from __future__ import annotations

import io
import pickle
import warnings
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crfclean.nn.mlp import (
    CLIP,
    COUNT_FROM,
    LEAST_DEVIATION,
    Layers,
    Network,
    Scaling,
    fit_scaling,
    from_bytes,
    log_softmax,
    outputs,
    to_bytes,
)
from crfclean.types import Label, ModelError

PROPERTY = settings(max_examples=300, deadline=None, database=None, derandomize=True)
NAMES = ("words", "link_density")


def floats(*rows: object) -> np.ndarray:
    return np.array(rows, np.float32)


def scaling(log: tuple[bool, ...] = (False, False), deviation: float = 1.0) -> Scaling:
    count = len(log)
    return Scaling(np.array(log, np.bool_), np.zeros(count), np.full(count, deviation))


LAYERS: Layers = (
    (floats([1, -1], [0, 2]), floats(0, 1)),
    (floats([1, 0, 0], [0, 1, -1]), floats(0, 0, 0.5)),
)
OTHERS: Layers = ((floats([0, 0, 0], [0, 0, 0]), floats(1, 2, 3)),)
MADE = Network(NAMES, scaling(), (LAYERS, OTHERS))


def softmax(*values: float) -> np.ndarray:
    shares = np.exp(np.array(values))
    return shares / shares.sum()


# scaling


def test_scaling_by_hand() -> None:
    made = Scaling(np.array([True, False]), np.array([np.log(2), 0.5]), np.array([1.0, 0.25]))
    found = made(np.array([[1.0, 0.5], [3.0, 0.75], [0.0, 0.0], [-5.0, 0.5]]))
    expected = [[0, 0], [np.log(2), 1], [-np.log(2), -2], [-np.log(2), 0]]
    assert found == pytest.approx(np.array(expected), abs=1e-6)
    assert found.dtype == np.float32


def test_what_lies_far_out_counts_as_less() -> None:
    found = scaling()(np.array([[1e9, -1e9], [CLIP, -CLIP], [CLIP - 0.5, 0.0]]))
    assert found.tolist() == [[CLIP, -CLIP], [CLIP, -CLIP], [CLIP - 0.5, 0.0]]


def test_fitted_scaling_by_hand() -> None:
    pages = [np.array([[0.0, 0.0, 1.0], [1.0, 3.0, 1.0]]), np.array([[0.5, 7.0, 1.0]])]
    made = fit_scaling(pages)
    counts = np.log1p([0.0, 3.0, 7.0])
    assert made.log.tolist() == [False, True, False]
    assert made.mean == pytest.approx([0.5, counts.mean(), 1.0])
    assert made.deviation == pytest.approx([np.sqrt(1 / 6), counts.std(), LEAST_DEVIATION])


def test_counts_are_told_from_shares() -> None:
    pages = [np.array([[COUNT_FROM, COUNT_FROM + 0.01]])]
    assert fit_scaling(pages).log.tolist() == [False, True]


def test_one_block_is_enough_for_a_scaling() -> None:
    made = fit_scaling([np.array([[0.25, 40.0]], np.float32)])
    assert made.deviation.tolist() == [LEAST_DEVIATION] * 2
    assert made(np.array([[0.25, 40.0]])) == pytest.approx(np.zeros((1, 2)), abs=1e-5)


def test_scaled_columns_have_mean_0_and_deviation_1() -> None:
    random = np.random.default_rng(0)
    pages = [random.random((30, 4)).astype(np.float32) for _ in range(5)]
    found = np.concatenate([fit_scaling(pages)(page) for page in pages])
    assert found.mean(0) == pytest.approx(np.zeros(4), abs=1e-5)
    assert found.std(0) == pytest.approx(np.ones(4), abs=1e-5)


# inference


def test_outputs_by_hand() -> None:
    inputs = floats([1, 2], [-1, 0])
    # hidden: [1*1+2*0, -1+4+1] = [1, 4]; [-1 -> 0, 1+0+1 = 2]
    assert outputs(inputs, LAYERS).tolist() == [[1, 4, -3.5], [0, 2, -1.5]]


def test_a_single_layer_is_linear() -> None:
    assert outputs(floats([9, 9]), OTHERS).tolist() == [[1, 2, 3]]


def test_probabilities_of_one_member_are_the_softmax() -> None:
    found = Network(NAMES, scaling(), (LAYERS,))(np.array([[1.0, 2.0]]))
    assert found == pytest.approx(softmax(1, 4, -3.5)[None])


def test_members_are_averaged_by_their_logarithms() -> None:
    found = MADE(np.array([[1.0, 2.0]]))
    expected = softmax((1 + 1) / 2, (4 + 2) / 2, (-3.5 + 3) / 2)
    assert found == pytest.approx(expected[None])
    assert found.dtype == np.float64


def test_equal_members_change_nothing() -> None:
    columns = np.random.default_rng(1).random((5, 2))
    one = Network(NAMES, scaling(), (LAYERS,))(columns)
    assert Network(NAMES, scaling(), (LAYERS,) * 3)(columns) == pytest.approx(one)


def test_no_block_has_no_probability() -> None:
    assert MADE(np.zeros((0, 2))).shape == (0, len(Label))


def test_a_block_counts_by_itself() -> None:
    columns = np.random.default_rng(2).random((6, 2))
    alone = np.concatenate([MADE(columns[place : place + 1]) for place in range(6)])
    assert MADE(columns) == pytest.approx(alone, abs=1e-6)


@PROPERTY
@given(st.lists(st.lists(st.floats(-1e30, 1e30), min_size=3, max_size=3), min_size=1, max_size=4))
def test_log_softmax_takes_every_number(rows: list[list[float]]) -> None:
    found = log_softmax(np.array(rows))
    assert np.all(found <= 0)
    assert np.exp(found).sum(1) == pytest.approx(np.ones(len(rows)))
    likeliest = np.array(rows).argmax(1)
    assert np.array_equal(found[np.arange(len(rows)), likeliest], found.max(1))


def test_log_softmax_by_hand() -> None:
    expected = [[np.log(1 / 6), np.log(2 / 6), np.log(3 / 6)]]
    assert log_softmax(np.log([[1.0, 2.0, 3.0]])) == pytest.approx(np.array(expected))


def test_networks_cross_processes() -> None:
    columns = np.array([[0.3, 0.7]])
    assert pickle.loads(pickle.dumps(MADE))(columns).tolist() == MADE(columns).tolist()


# files


def test_round_trip() -> None:
    data = to_bytes(MADE)
    again = from_bytes(data, NAMES)
    columns = np.random.default_rng(3).random((9, 2))
    assert again.names == NAMES
    assert np.array_equal(again(columns), MADE(columns))
    assert to_bytes(again) == data


def test_equal_networks_give_equal_bytes() -> None:
    assert to_bytes(pickle.loads(pickle.dumps(MADE))) == to_bytes(MADE)


def test_more_than_ten_members_keep_their_order() -> None:
    members = tuple(((floats([0, 0, 0], [0, 0, 0]), floats(n, 0, 0)),) for n in range(12))
    again = from_bytes(to_bytes(Network(NAMES, scaling(), members)), NAMES)
    assert [float(layers[-1][1][0]) for layers in again.members] == list(range(12))


def archive(**changed: object) -> bytes:
    """The file of `MADE` with some arrays changed, or left out where None."""
    with np.load(io.BytesIO(to_bytes(MADE))) as found:
        arrays = {**found, **changed}
    stream = io.BytesIO()
    np.savez(stream, **{name: one for name, one in arrays.items() if one is not None})
    return stream.getvalue()


def test_archive_is_what_is_read() -> None:
    assert from_bytes(archive(), NAMES).names == NAMES


SINGLE = np.float32
UNFIT = {
    "scaling too long": {"mean": np.zeros(3)},
    "log too long": {"log": np.zeros(3, np.bool_)},
    "deviation of two axes": {"deviation": np.ones((2, 1))},
    "mean a number": {"mean": np.float64(0)},
    "log of numbers": {"log": np.zeros(2)},
    "mean of letters": {"mean": np.array(["a", "b"])},
    "mean of complex numbers": {"mean": np.zeros(2, np.complex128)},
    "mean in single precision": {"mean": np.zeros(2, SINGLE)},
    "mean no number": {"mean": np.array([0.0, np.nan])},
    "deviation endless": {"deviation": np.array([1.0, np.inf])},
    "deviation 0": {"deviation": np.array([1.0, 0.0])},
    "deviation negative": {"deviation": np.array([1.0, -1.0])},
    "no mean": {"mean": None},
    "no weights": {"weights_0_1": None},
    "no bias": {"bias_0_0": None},
    "no last layer": {"weights_0_1": None, "bias_0_1": None},
    "no network": dict.fromkeys(
        ["weights_0_0", "bias_0_0", "weights_0_1", "bias_0_1", "weights_1_0", "bias_1_0"]
    ),
    "bias of another number": {"bias_x_0": np.zeros(3, SINGLE)},
    "bias without a number": {"bias_": np.zeros(3, SINGLE)},
    "member written otherwise": {"bias_007_0": np.zeros(3, SINGLE)},
    "layer left out": {"bias_0_3": np.zeros(3, SINGLE), "weights_0_3": np.zeros((3, 3), SINGLE)},
    "too many inputs": {"weights_0_0": np.zeros((3, 2), SINGLE)},
    "layers that do not meet": {"weights_0_1": np.zeros((3, 3), SINGLE)},
    "four labels": {"weights_0_1": np.zeros((2, 4), SINGLE), "bias_0_1": np.zeros(4, SINGLE)},
    "bias too short": {"bias_0_0": np.zeros(1, SINGLE)},
    "bias a number": {"bias_0_0": SINGLE(0)},
    "weights a row": {"weights_0_0": np.zeros(2, SINGLE)},
    "weights a number": {"weights_0_0": SINGLE(0)},
    "weights of three axes": {"weights_0_0": np.zeros((2, 2, 1), SINGLE)},
    "weights in double precision": {"weights_0_0": np.zeros((2, 2))},
    "weights of integers": {"weights_0_0": np.zeros((2, 2), np.int64)},
    "weights of letters": {"weights_0_0": np.array([["a", "b"], ["c", "d"]])},
    "weights no number": {"weights_0_0": np.full((2, 2), np.nan, SINGLE)},
    "bias endless": {"bias_0_0": np.full(2, np.inf, SINGLE)},
    "second member of other inputs": {"weights_1_0": np.zeros((5, 3), SINGLE)},
}


@pytest.mark.parametrize("changed", UNFIT.values(), ids=UNFIT)
def test_arrays_that_do_not_fit_are_refused(changed: dict[str, object]) -> None:
    with pytest.raises(ModelError, match="damaged network"):
        from_bytes(archive(**changed), NAMES)


def test_a_member_without_layers_is_refused() -> None:
    """Also where there are as many features as labels."""
    layers: Layers = ((np.eye(3, dtype=SINGLE), np.zeros(3, SINGLE)),)
    stream, made = io.BytesIO(), Network(("a", "b", "c"), scaling((False,) * 3), (layers,))
    with np.load(io.BytesIO(to_bytes(made))) as found:
        np.savez(stream, **found, bias_007_0=np.zeros(3, SINGLE))
    with pytest.raises(ModelError, match="damaged network"):
        from_bytes(stream.getvalue(), made.names)


@pytest.mark.parametrize("names", [(), ("words",), ("words", "chars", "links")])
def test_network_of_other_features_is_refused(names: tuple[str, ...]) -> None:
    with pytest.raises(ModelError, match="do not fit its features"):
        from_bytes(to_bytes(MADE), names)


def saved(array: np.ndarray, *, allow_pickle: bool = False) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=allow_pickle)
    return stream.getvalue()


def zipped(**entries: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        for name, data in entries.items():
            file.writestr(f"{name}.npy", data)
    return stream.getvalue()


HUGE = b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (1%s,), }".ljust(
    129
)
NO_NETWORK = {
    "nothing": b"",
    "a byte": b"P",
    "letters": b"no network",
    "zip's mark alone": b"PK\x03\x04",
    "numpy's mark alone": b"\x93NUMPY\x01\x00",
    "zeros": bytes(1_000),
    "an empty zip": zipped(),
    "a zip of junk": zipped(log=b"junk", mean=b"", deviation=b"\x93NUMPY"),
    "a single array": saved(np.zeros(3)),
    "a pickle": pickle.dumps({"log": 1}),
    "an array of objects": zipped(log=saved(np.array([{}], object), allow_pickle=True)),
    "a header of nonsense": zipped(log=b"\x93NUMPY\x01\x00\x0a\x00__import__"),
    "a header of brackets": zipped(log=b"\x93NUMPY\x02\x00\x00\x20\x00\x00" + b"[" * 0x2000),
    "more than memory": zipped(log=HUGE % (b"0" * 17)),
    "more than a number": zipped(log=HUGE % (b"0" * 30)),
}


@pytest.mark.parametrize("data", NO_NETWORK.values(), ids=NO_NETWORK)
def test_what_is_no_network_is_refused(data: bytes) -> None:
    with pytest.raises(ModelError, match="damaged network"):
        from_bytes(data, NAMES)


def test_network_cut_anywhere_is_refused() -> None:
    whole = to_bytes(MADE)
    for length in range(0, len(whole), 7):
        with pytest.raises(ModelError, match="damaged network"):
            from_bytes(whole[:length], NAMES)


WHOLE = to_bytes(MADE)
CHANGES = st.lists(
    st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(0, 255)), min_size=1, max_size=6
)


def is_refused_or_whole(data: bytes) -> bool:
    """Whether the bytes are refused, or give a network that works."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # zipfile of names told twice, numpy of old headers
            network = from_bytes(data, NAMES)
    except ModelError:
        return True
    found = network(np.array([[0.5, 0.5]]))
    return bool(np.isfinite(found).all()) and found.shape == (1, 3)


@PROPERTY
@given(CHANGES)
def test_changed_bytes_give_a_model_error_or_nothing_worse(changes: list[tuple[int, int]]) -> None:
    data = bytearray(WHOLE)
    for place, value in changes:
        data[place] = value
    assert is_refused_or_whole(bytes(data))


def test_every_flipped_byte_gives_a_model_error_or_nothing_worse() -> None:
    for place in range(len(WHOLE)):
        data = bytearray(WHOLE)
        data[place] ^= 0xFF
        assert is_refused_or_whole(bytes(data)), place


@PROPERTY
@given(st.integers(0, len(WHOLE)), st.integers(0, len(WHOLE)), st.binary(max_size=40))
def test_cut_and_filled_bytes_give_a_model_error_or_nothing_worse(
    start: int, end: int, filling: bytes
) -> None:
    assert is_refused_or_whole(WHOLE[:start] + filling + WHOLE[end:])
