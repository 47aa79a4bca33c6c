namespace Broker.LoadTest.Report.Picture;

/// <summary>The figures of one server along a scale.</summary>
internal sealed record Curve(string Series, IReadOnlyList<(double X, double Y)> Points);

/// <summary>Curves that share both scales.</summary>
internal sealed record CurvePanel(string Title, string Unit, IReadOnlyList<Curve> Curves);
