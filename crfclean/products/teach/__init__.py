"""Gold and what is made of it: labels by hand, training, measures, settings of a site, audits."""
