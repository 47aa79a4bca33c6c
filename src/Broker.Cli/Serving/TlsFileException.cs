namespace Broker.Cli.Serving;

/// <summary>A file of a certificate or a key cannot be used; the message says which and why.</summary>
internal sealed class TlsFileException(string message, Exception inner) : Exception(message, inner);
