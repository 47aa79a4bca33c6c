namespace Broker.Client.Streams;

/// <summary>The names of <see cref="RetentionPolicy"/> in the API.</summary>
internal sealed class RetentionPolicyConverter() : NameConverter<RetentionPolicy>(["limits", "interest", "workqueue"], RetentionPolicy.Other);
