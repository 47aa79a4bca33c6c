namespace Broker.ZeroMqLoad.Comparing;

/// <summary>A variant of a row, with its measurement.</summary>
internal sealed record Variant(string Name, Func<EndFactory, Result> Measure);
