namespace Broker.Streams.Tests.Damage;

/// <summary>The bytes of a message in a file.</summary>
internal readonly record struct MessagePlace(string File, int From, int To);
