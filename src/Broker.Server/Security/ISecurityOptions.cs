namespace Broker.Server;

/// <summary>The options of a server that <see cref="SecurityRules"/> reads.</summary>
internal interface ISecurityOptions
{
    /// <summary>All users, grouped by account.</summary>
    IEnumerable<UserGroup> UserGroups { get; }

    /// <inheritdoc cref="BrokerServerOptions.Token"/>
    string? Token { get; }

    /// <inheritdoc cref="BrokerServerOptions.NoAuthUser"/>
    string? NoAuthUser { get; }

    /// <inheritdoc cref="BrokerServerOptions.AuthTimeout"/>
    TimeSpan AuthTimeout { get; }

    /// <inheritdoc cref="BrokerServerOptions.DefaultPermissions"/>
    Permissions? DefaultPermissions { get; }

    /// <inheritdoc cref="BrokerServerOptions.Authorize"/>
    Func<AuthorizationRequest, AuthorizationResult>? Authorize { get; }

    /// <inheritdoc cref="BrokerServerOptions.AuthorizeAsync"/>
    Func<AuthorizationRequest, ValueTask<AuthorizationResult>>? AuthorizeAsync { get; }

    /// <inheritdoc cref="BrokerServerOptions.PasswordVerifier"/>
    IPasswordVerifier? PasswordVerifier { get; }

    /// <inheritdoc cref="BrokerServerOptions.SignatureVerifier"/>
    ISignatureVerifier? SignatureVerifier { get; }
}
