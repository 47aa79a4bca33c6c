namespace Broker.ZeroMqLoad.Comparing;

/// <summary>What is compared: variants of the same traffic, the first of which the others are set against.</summary>
internal sealed record Row(string Name, IReadOnlyList<Variant> Variants);
