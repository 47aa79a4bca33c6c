namespace Broker.Client.Streams;

/// <summary>The names of <see cref="AckPolicy"/> in the API.</summary>
internal sealed class AckPolicyConverter() : NameConverter<AckPolicy>(["none", "all", "explicit"], AckPolicy.Other);
