namespace Broker.Client.Streams;

/// <summary>The names of <see cref="DeliverPolicy"/> in the API.</summary>
internal sealed class DeliverPolicyConverter() : NameConverter<DeliverPolicy>(["all", "last", "new", "by_start_sequence", "by_start_time", "last_per_subject"], DeliverPolicy.Other);
