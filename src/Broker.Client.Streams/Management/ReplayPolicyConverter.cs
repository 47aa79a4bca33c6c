namespace Broker.Client.Streams;

/// <summary>The names of <see cref="ReplayPolicy"/> in the API.</summary>
internal sealed class ReplayPolicyConverter() : NameConverter<ReplayPolicy>(["instant", "original"], ReplayPolicy.Other);
