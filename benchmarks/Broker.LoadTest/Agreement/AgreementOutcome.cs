namespace Broker.LoadTest.Agreement;

/// <summary>The rates of a row, in messages per second, by the load test and by <c>broker bench</c>.</summary>
internal sealed record AgreementOutcome(string Row, IReadOnlyList<double> Load, IReadOnlyList<double> Bench)
{
    public double LoadMedian => Median(Load);

    public double BenchMedian => Median(Bench);

    public double Ratio => BenchMedian / LoadMedian;

    private static double Median(IReadOnlyList<double> rates)
    {
        double[] sorted = [.. rates.Order()];
        return sorted.Length % 2 == 1 ? sorted[sorted.Length / 2] : (sorted[(sorted.Length / 2) - 1] + sorted[sorted.Length / 2]) / 2;
    }
}
