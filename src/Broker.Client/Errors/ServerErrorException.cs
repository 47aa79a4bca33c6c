namespace Broker.Client.Errors;

/// <summary>The server refused with <c>-ERR</c>.</summary>
public class ServerErrorException : ClientException
{
    internal ServerErrorException(string text)
        : base($"The server says: {text}") => Text = text;

    /// <summary>The text of the <c>-ERR</c>, without quotes.</summary>
    public string Text { get; }

    /// <summary>The exception for a text: <see cref="AuthorizationException"/> for those about who may connect.</summary>
    internal static ServerErrorException For(string text)
        => text.Contains("Authorization", StringComparison.OrdinalIgnoreCase)
            || text.Contains("Authentication", StringComparison.OrdinalIgnoreCase)
            ? new AuthorizationException(text)
            : new ServerErrorException(text);
}
