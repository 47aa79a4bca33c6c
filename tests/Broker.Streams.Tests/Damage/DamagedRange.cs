namespace Broker.Streams.Tests.Damage;

/// <summary>Bytes of a file that a test has changed or cut off.</summary>
internal readonly record struct DamagedRange(string File, long From, long To);
