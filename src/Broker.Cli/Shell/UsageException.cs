namespace Broker.Cli.Shell;

/// <summary>What was asked for makes no sense, in one line.</summary>
internal sealed class UsageException(string message) : Exception(message);
