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
}
