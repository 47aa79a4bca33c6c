namespace Broker.Cli.Configuration;

/// <summary>The configuration file itself cannot be read, so there is no position to name.</summary>
internal sealed class ConfigUnreadableException(string message) : Exception(message);
