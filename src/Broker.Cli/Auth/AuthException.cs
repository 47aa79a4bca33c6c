namespace Broker.Cli.Auth;

/// <summary>A command about tokens cannot do its work. The message is one line for the user and has no secret.</summary>
internal sealed class AuthException(string message) : Exception(message);
