namespace Broker.LoadTest.Rows;

/// <summary>A place on a scale along which something grows; the rows of one dimension make one table.</summary>
internal sealed record Point(string Dimension, string Label, GrowthFigure Figure);

/// <summary>What is looked at as something grows.</summary>
internal sealed record GrowthFigure(string Unit, Func<Measurement, double?> Of)
{
    public static GrowthFigure CpuPerMessage { get; } = new("CPU ns", measurement => measurement.CpuNanoseconds);

    public static GrowthFigure P99 { get; } = new("p99 µs", measurement => measurement.Latency?.P99);
}
