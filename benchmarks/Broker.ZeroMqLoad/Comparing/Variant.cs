namespace Broker.ZeroMqLoad.Comparing;

/// <summary>Whose the ends are, and how it is measured.</summary>
internal sealed record Variant(string Name, Func<EndFactory, Result> Measure);
