namespace Broker.LoadTest.Report;

/// <summary>The median and the spread of some rounds.</summary>
internal readonly record struct Spread(double Median, double Min, double Max)
{
    /// <summary>Computes the spread; null if there are no values.</summary>
    public static Spread? Of(IEnumerable<double> values)
    {
        double[] sorted = [.. values.Order()];
        if (sorted.Length == 0)
        {
            return null;
        }

        double median = sorted.Length % 2 == 1 ? sorted[sorted.Length / 2] : (sorted[(sorted.Length / 2) - 1] + sorted[sorted.Length / 2]) / 2;
        return new Spread(median, sorted[0], sorted[^1]);
    }
}
