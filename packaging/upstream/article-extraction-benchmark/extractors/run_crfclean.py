#!/usr/bin/env python3
import gzip
from pathlib import Path

import crfclean

from output_util import python_dist_version, write_output_json


def main():
    output = {}
    for path in Path('html').glob('*.html.gz'):
        html = gzip.decompress(path.read_bytes()).decode('utf8')
        item_id = path.stem.split('.')[0]
        output[item_id] = {'articleBody': crfclean.extract(html, as_='body')}
    write_output_json(
        Path('output') / 'crfclean.json',
        output=output,
        version=python_dist_version('crfclean'),
    )


if __name__ == '__main__':
    main()
