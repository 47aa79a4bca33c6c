using System.Text;
using Broker.Bridge;
using Broker.Leaf;
using Broker.Protocol;
using Broker.Server;

namespace Broker.Cli.Tracing;

/// <summary>Knows what a configuration permits. Nobody is connected yet, so receivers only may get a message.</summary>
internal sealed class FileSource : ITraceSource
{
    /// <summary>The account of users that are in no account.</summary>
    public const string GlobalAccount = "$G";

    private const string NobodyConnected = "The file does not tell who is connected: -s asks a running server.";

    private readonly ServeSettings _settings;

    private FileSource(ServeSettings settings, IReadOnlyList<TracedAccount> accounts)
    {
        _settings = settings;
        Accounts = accounts;
    }

    public IReadOnlyList<TracedAccount> Accounts { get; }

    public IReadOnlyList<string> Unknown => HasOperator
        ? [NobodyConnected, "The permissions of users are in their JWTs, which the file does not contain."]
        : [NobodyConnected];

    private bool HasOperator => _settings.Security?.Operator is not null;

    /// <summary>Reads the accounts of the settings, also those of an operator.</summary>
    public static async Task<FileSource> OpenAsync(ServeSettings settings, CancellationToken stop)
        => new(settings, settings.Security?.Operator is { } trusted
            ? await OperatorAccounts.ReadAsync(trusted, settings.Security.SystemAccount, stop)
            :
            [
                .. (settings.Security?.Accounts ?? []).Select(static a => new TracedAccount(a.Name, a.Mappings, a.Imports)),
                new TracedAccount(GlobalAccount, settings.Mappings, []),
            ]);

    public Task<string?> FindAccountAsync(string user, CancellationToken stop)
        => Task.FromResult(
            _settings.Security?.Accounts.FirstOrDefault(account => account.Users.Any(u => u.Name == user))?.Name
            ?? (_settings.Security?.Users.Any(u => u.Name == user) is true ? GlobalAccount : null));

    public string? WhyNotPublish(string account, string user, string subject)
        => UsersOf(account).FirstOrDefault(u => u.Name == user) is { } known && PermissionsOf(account, known) is { } permissions
            && !permissions.MayPublish(subject)
            ? Reason("publish", permissions.Publish, subject)
            : null;

    public Task<IReadOnlyList<TraceReceiver>> FindReceiversAsync(string account, string subject, CancellationToken stop)
        => Task.FromResult<IReadOnlyList<TraceReceiver>>([.. Clients(account, subject), .. Routes(account, subject), .. LeafNodes(account, subject)]);

    private IEnumerable<TraceReceiver> Clients(string account, string subject)
    {
        if (HasOperator)
        {
            yield return new TraceReceiver("any user of the account", TraceOutcome.May, "may subscribe, if its JWT permits it");
        }

        foreach (User user in UsersOf(account))
        {
            Permissions? permissions = PermissionsOf(account, user);
            yield return permissions is null || permissions.MayReceive(subject)
                ? new TraceReceiver($"user {user.Name}", TraceOutcome.May, "may subscribe")
                : new TraceReceiver($"user {user.Name}", TraceOutcome.No, Reason("subscribe", permissions.Subscribe, subject));
        }

        if (account == GlobalAccount && (_settings.Security is not { IsRequired: true } || _settings.Security.Token is not null))
        {
            Permissions? permissions = _settings.Security?.DefaultPermissions;
            string name = _settings.Security?.Token is null ? "any client" : "any client with the token";
            yield return permissions is null || permissions.MayReceive(subject)
                ? new TraceReceiver(name, TraceOutcome.May, "may subscribe")
                : new TraceReceiver(name, TraceOutcome.No, Reason("subscribe", permissions.Subscribe, subject));
        }
    }

    private IEnumerable<TraceReceiver> Routes(string account, string subject)
    {
        if (_settings.ZeroMq is not { Connection: null } zeroMq || account != AccountOfBridge(zeroMq))
        {
            yield break;
        }

        if (zeroMq.HasPubSub && Covers(zeroMq.Prefix + ".>", subject))
        {
            yield return Route("pubsub", "SUB programs", zeroMq.Prefix + ".>");
        }

        foreach (ConfiguredRoute route in zeroMq.Routes)
        {
            (string? filter, string programs) = route.Options switch
            {
                PubSubRouteOptions pubSub => (pubSub.Mapping.Prefix + ".>", "SUB programs"),
                WorkerRouteOptions worker => (worker.Subject ?? worker.Topics!.Prefix + ".>", "one of the workers"),
                RawRouteOptions raw => (raw.FromSubject, "the ZeroMQ programs"),
                PushPullRouteOptions { Stream: not null } queue => (queue.Subject, "one of the PULL programs, through the stream,"),
                // The other patterns only send to subjects, or use subjects of their own between bridges.
                _ => (null, ""),
            };
            if (filter is not null && Covers(filter, subject))
            {
                yield return Route(route.Name, programs, filter);
            }
        }
    }

    private static TraceReceiver Route(string name, string programs, string filter)
        => new($"ZeroMQ route {name}", TraceOutcome.May, $"{programs} of the route get {filter}");

    private IEnumerable<TraceReceiver> LeafNodes(string account, string subject)
    {
        foreach (LeafRemoteOptions remote in _settings.LeafNodes?.Remotes ?? [])
        {
            if ((remote.Account ?? GlobalAccount) == account && !remote.IsDisabled)
            {
                string? denied = remote.DenyExports.FirstOrDefault(filter => Covers(filter, subject));
                yield return denied is null
                    ? new TraceReceiver($"hub {remote}", TraceOutcome.May, "if the hub has a subscriber")
                    : new TraceReceiver($"hub {remote}", TraceOutcome.No, $"deny_exports has {denied}");
            }
        }
    }

    private IEnumerable<User> UsersOf(string account)
        => _settings.Security is not { } security ? []
            : account == GlobalAccount ? security.Users
            : security.Accounts.FirstOrDefault(a => a.Name == account)?.Users ?? [];

    private Permissions? PermissionsOf(string account, User user)
        => user.Permissions
            ?? _settings.Security?.Accounts.FirstOrDefault(a => a.Name == account)?.DefaultPermissions
            ?? _settings.Security?.DefaultPermissions;

    private string AccountOfBridge(ZeroMqSettings zeroMq)
        => zeroMq.SubscribersUser is { } user
            ? _settings.Security?.Accounts.FirstOrDefault(a => a.Users.Any(u => u.Name == user))?.Name ?? GlobalAccount
            : GlobalAccount;

    private static string Reason(string operation, SubjectPermissions permissions, string subject)
        => permissions.Deny.FirstOrDefault(entry => Covers(entry.Split(' ')[0], subject)) is { } denied
            ? $"{operation}.deny has {denied}"
            : permissions.Allow is { Count: > 0 } allowed ? $"{operation}.allow has only {string.Join(", ", allowed)}"
            : $"{operation}.allow is empty";

    private static bool Covers(string filter, string subject) => Subject.Matches(Encoding.UTF8.GetBytes(filter), Encoding.UTF8.GetBytes(subject));
}
