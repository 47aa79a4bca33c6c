namespace Broker.Cli.Shell;

/// <summary>The command line is invalid. The message is one line for the user.</summary>
internal sealed class UsageException(string message) : Exception(message);
