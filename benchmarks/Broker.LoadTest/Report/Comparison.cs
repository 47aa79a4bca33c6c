using Broker.LoadTest.Rows;
using Broker.LoadTest.Runs;

namespace Broker.LoadTest.Report;

/// <summary>The samples of one row on two servers, by round.</summary>
internal sealed class Comparison(IEnumerable<Sample> baseline, IEnumerable<Sample> other)
{
    private readonly Sample[] _baseline = [.. baseline];
    private readonly Sample[] _other = [.. other];

    /// <summary>
    /// Computes the ratio of the medians and the ratios of each round; null if one side has no figures.
    /// </summary>
    public (double OfMedians, Spread? ByRound)? Ratio(Func<Measurement, double?> figure)
    {
        if (Median(_baseline, figure) is not { } below || Median(_other, figure) is not { } above)
        {
            return null;
        }

        Spread? byRound = Spread.Of(
            from a in _other
            join b in _baseline on a.Round equals b.Round
            let x = Figure(a, figure)
            let y = Figure(b, figure)
            where x is not null && y is > 0
            select x.Value / y.Value);
        return (above / below, byRound);
    }

    /// <summary>Returns the ratio of the medians, and the median and the spread of the rounds' ratios.</summary>
    public string[] Cells(Func<Measurement, double?> figure)
    {
        if (Ratio(figure) is not { } ratio)
        {
            return [Format.Nothing, Format.Nothing];
        }

        return [Format.Times(ratio.OfMedians), ratio.ByRound is { } spread ? $"{Format.Times(spread.Median)} ({Format.Range(spread, Format.Digits)})" : Format.Nothing];
    }

    public static IEnumerable<double> Figures(IEnumerable<Sample> samples, Func<Measurement, double?> figure)
        => samples.Select(sample => Figure(sample, figure)).OfType<double>();

    /// <summary>Returns the round trips of all rounds; null if there are none.</summary>
    public static Latency? Pool(IEnumerable<Sample> samples) => Latency.Pool(samples.Select(sample => sample.Measurement).Where(m => !m.Lost).Select(m => m.Latency).OfType<Latency>());

    public static double? Median(IEnumerable<Sample> samples, Func<Measurement, double?> figure) => Spread.Of(Figures(samples, figure))?.Median;

    private static double? Figure(Sample sample, Func<Measurement, double?> figure) => sample.Measurement.Lost ? null : figure(sample.Measurement);
}
