namespace Broker.Server.Security;

/// <summary>By what a client was let in.</summary>
internal enum PrincipalKind
{
    /// <summary>The server asks nobody.</summary>
    Anyone,

    /// <summary>As the user that clients without credentials are.</summary>
    NoAuthUser,

    /// <summary>By the token.</summary>
    Token,

    /// <summary>By a password or a key.</summary>
    User,

    /// <summary>The application decided.</summary>
    Application,
}
