namespace Broker.LoadTest.Driver;

/// <summary>The server did something it must not: wrong bytes, wrong counts, an error line, silence.</summary>
internal class DriverException(string message, Exception? inner = null) : Exception(message, inner);

/// <summary>The server closed a connection. In a delivery row that is its slow-consumer policy and reported as LOST.</summary>
internal sealed class ConnectionCutException(string message, Exception? inner = null) : DriverException(message, inner);
