namespace Broker.Cli.Configuration;

/// <summary>The configuration file cannot be read, or flags are invalid. The error has no position in a file.</summary>
internal sealed class ConfigUnreadableException(string message) : Exception(message);
