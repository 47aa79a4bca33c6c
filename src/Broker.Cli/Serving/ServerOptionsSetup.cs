using Broker.Cryptography;
using Broker.Server;

namespace Broker.Cli.Serving;

/// <summary>Applies settings to the options of the server, except for the addresses to listen on.</summary>
internal static class ServerOptionsSetup
{
    /// <summary>Applies the settings that can change while the server runs.</summary>
    public static void Apply(ServeSettings settings, BrokerServerOptions options)
    {
        options.MaxPayload = settings.MaxPayload;
        options.MaxControlLine = settings.MaxControlLine;
        options.MaxPending = settings.MaxPending;
        options.MaxPendingTotal = settings.MaxPendingTotal;
        options.SlowConsumers = settings.SlowConsumers;
        options.StallFastPublishers = settings.StallFastPublishers;
        options.MaxSubscriptions = settings.MaxSubscriptions;
        options.MaxSubscriptionTokens = settings.MaxSubscriptionTokens;
        options.MaxConnections = settings.MaxConnections;
        options.WriteDeadline = settings.WriteDeadline;
        options.PingInterval = settings.PingInterval;
        options.PingMax = settings.PingMax;
        options.ClientAdvertise = settings.ClientAdvertise;
        options.ConnectUrls = settings.ConnectUrls;
        options.Tls = settings.Tls;
        options.MapWebSocketUsers = settings.WebSocket?.Tls is { MapUsers: true };
        options.TracedPayload = settings.TracedPayload;
        options.TraceSystemAccount = settings.TraceSystemAccount;
        options.SampleSubjects = settings.SampleSubjects;
    }

    /// <summary>Applies the users, accounts, token and subject mappings.</summary>
    /// <param name="settings">The settings.</param>
    /// <param name="options">The options that are changed.</param>
    /// <param name="bridge">The user of the bridge. It is added if the bridge needs a user.</param>
    public static void ApplySecurity(ServeSettings settings, BrokerServerOptions options, BridgeUser bridge)
    {
        SecuritySettings security = settings.Security ?? new SecuritySettings();
        security = settings.ZeroMq is { } zeroMq ? bridge.AddTo(security, zeroMq) : security;
        options.UseCryptography();
        options.Mappings = settings.Mappings;
        options.Users = security.Users;
        options.Accounts = security.Accounts;
        options.SystemAccount = security.SystemAccount;
        options.Operator = security.Operator;
        options.Token = security.Token;
        options.NoAuthUser = security.NoAuthUser;
        options.AuthCallout = security.AuthCallout;
        options.AuthTimeout = security.Timeout ?? new BrokerServerOptions { Tls = settings.Tls }.AuthTimeout;
        options.DefaultPermissions = security.DefaultPermissions;
    }
}
