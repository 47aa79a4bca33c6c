namespace Broker.Client;

/// <summary>The server sent <c>-ERR</c>.</summary>
public class ServerErrorException : ClientException
{
    internal ServerErrorException(string text)
        : base($"The server sent an error: {text}") => Text = text;

    /// <summary>The text of the <c>-ERR</c>, without quotes.</summary>
    public string Text { get; }

    /// <summary>
    /// Creates the exception for an error text: an <see cref="AuthorizationException"/> if the text is about
    /// credentials.
    /// </summary>
    internal static ServerErrorException For(string text)
        => text.Contains("Authorization", StringComparison.OrdinalIgnoreCase)
            || text.Contains("Authentication", StringComparison.OrdinalIgnoreCase)
            ? new AuthorizationException(text)
            : new ServerErrorException(text);

    /// <summary>Returns whether a server keeps the connection open after an error with this text.</summary>
    internal static bool KeepsConnectionOpen(string text)
        => text.StartsWith("Invalid ", StringComparison.OrdinalIgnoreCase)
            || text.StartsWith("Permissions Violation", StringComparison.OrdinalIgnoreCase)
            || text.StartsWith("maximum subscriptions exceeded", StringComparison.OrdinalIgnoreCase);
}
