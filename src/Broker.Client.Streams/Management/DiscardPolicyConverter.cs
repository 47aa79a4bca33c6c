namespace Broker.Client.Streams;

/// <summary>The names of <see cref="DiscardPolicy"/> in the API.</summary>
internal sealed class DiscardPolicyConverter() : NameConverter<DiscardPolicy>(["old", "new"], DiscardPolicy.Other);
