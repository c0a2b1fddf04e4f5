"""Where calls lead, by those who know: what compilers and runs say, as lines that `bench.compared` reads."""
