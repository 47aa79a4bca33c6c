namespace Broker.Server;

/// <summary>The kinds of authentication.</summary>
internal enum PrincipalKind
{
    /// <summary>The server requires no authentication.</summary>
    Anyone,

    /// <summary>A client without credentials is the configured no-auth user.</summary>
    NoAuthUser,

    /// <summary>Authentication by the token.</summary>
    Token,

    /// <summary>Authentication as a configured user by a password, key or certificate.</summary>
    User,

    /// <summary>Authentication by a JWT.</summary>
    Jwt,

    /// <summary>Authentication by a callback of the application.</summary>
    Application,

    /// <summary>Authentication by an auth callout service.</summary>
    Callout,
}
