namespace Broker.ZeroMqLoad.Comparing;

/// <summary>The variants of the same traffic that are compared. The others are compared with the first.</summary>
internal sealed record Row(string Name, IReadOnlyList<Variant> Variants);
