namespace Broker.Client.Streams.Tests.KeyValue;

internal sealed record Profile(string Name, int Age);
