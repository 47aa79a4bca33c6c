namespace Broker.LoadTest.Driver;

/// <summary>Thrown if the server behaves incorrectly: wrong bytes, wrong counts, an error line, or no reply.</summary>
internal class DriverException(string message, Exception? inner = null) : Exception(message, inner);

/// <summary>
/// Thrown if the server closed a connection. In a delivery row this is its slow-consumer policy and is reported as
/// LOST.
/// </summary>
internal sealed class ConnectionCutException(string message, Exception? inner = null) : DriverException(message, inner);
