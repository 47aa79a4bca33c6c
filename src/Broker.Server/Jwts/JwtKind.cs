namespace Broker.Server;

/// <summary>The kinds of JWTs that the server reads.</summary>
internal enum JwtKind
{
    /// <summary>The JWT of an operator, who signs accounts.</summary>
    Operator,

    /// <summary>The JWT of an account, which signs users.</summary>
    Account,

    /// <summary>The JWT of a user.</summary>
    User,

    /// <summary>The permission of an account for another account to import one of its subjects.</summary>
    Activation,

    /// <summary>The answer of an auth callout service.</summary>
    AuthorizationResponse,

    /// <summary>A request that an operator has signed.</summary>
    Generic,
}
