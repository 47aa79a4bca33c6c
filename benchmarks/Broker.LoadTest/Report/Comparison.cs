using Broker.LoadTest.Rows;
using Broker.LoadTest.Runs;

namespace Broker.LoadTest.Report;

/// <summary>The samples of one row on two servers, by round.</summary>
internal sealed class Comparison(IReadOnlyList<Sample> baseline, IReadOnlyList<Sample> other)
{
    /// <summary>The ratio of the medians and the median of the ratios of each round; null where one side has no figures.</summary>
    public (double OfMedians, double ByRound)? Ratio(Func<Measurement, double?> figure)
    {
        if (Median(baseline, figure) is not { } below || Median(other, figure) is not { } above)
            return null;
        Spread? byRound = Spread.Of(
            from a in other
            join b in baseline on a.Round equals b.Round
            let x = Figure(a, figure)
            let y = Figure(b, figure)
            where x is not null && y is > 0
            select x.Value / y.Value);
        return (above / below, byRound?.Median ?? double.NaN);
    }

    public static IEnumerable<double> Figures(IEnumerable<Sample> samples, Func<Measurement, double?> figure) =>
        samples.Select(sample => Figure(sample, figure)).OfType<double>();

    private static double? Median(IEnumerable<Sample> samples, Func<Measurement, double?> figure) => Spread.Of(Figures(samples, figure))?.Median;

    private static double? Figure(Sample sample, Func<Measurement, double?> figure) => sample.Measurement.Lost ? null : figure(sample.Measurement);
}
