namespace Broker.Client;

/// <summary>
/// The server does not accept the credentials or the lack of credentials, or the credentials have expired.
/// </summary>
public sealed class AuthorizationException : ServerErrorException
{
    internal AuthorizationException(string text)
        : base(text)
    {
    }
}
