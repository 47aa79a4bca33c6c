using System.Globalization;
using System.Net;
using Broker.Client;
using Broker.Cryptography;
using Broker.Server;

namespace Broker.Leaf.Tests.Support;

/// <summary>
/// Two servers of one operator with full resolvers: a hub, and a leaf node of its system account. Each is this server
/// or nats-server.
/// </summary>
internal sealed class SystemLink : IAsyncDisposable
{
    private const string LinkUser = "link:secret";

    private readonly List<IAsyncDisposable> _owned = [];
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("broker-link-");
    private readonly JwtKey _systemUser = JwtKey.ForUser();
    private readonly int _leafPort = FreePort.Next();

    internal JwtSite Keys { get; } = new();

    internal JwtKey User { get; } = JwtKey.ForUser();

    internal JwtKey Main => Keys.Account;

    /// <summary>
    /// The JWT of an account, issued some seconds later than the first. nats-server compares two JWTs by "jti".
    /// </summary>
    internal string Account(JwtKey account, int later = 0, string claims = "")
        => Keys.Operator.SignJson(string.Create(
            CultureInfo.InvariantCulture,
            $$"""{"jti":"{{account}}-{{later}}","iat":{{1_700_000_000 + later}},"iss":"{{Keys.Operator}}","sub":"{{account}}","nats":{ {{JwtSite.NoLimits}},{{claims}}"type":"account","version":2} }"""));

    internal string FileOf(string server, JwtKey account) => Path.Combine(_folder.FullName, server, account + ".jwt");

    /// <summary>Puts the JWT of an account into the directory of a server.</summary>
    internal void Write(string server, JwtKey account, string jwt)
    {
        Directory.CreateDirectory(Path.Combine(_folder.FullName, server));
        File.WriteAllText(FileOf(server, account), jwt);
    }

    internal bool Has(string server, JwtKey account, string jwt)
        => File.Exists(FileOf(server, account)) && File.ReadAllText(FileOf(server, account)).Trim() == jwt;

    /// <summary>Starts the hub and returns the address for clients.</summary>
    internal Task<EndPoint> StartHubAsync(bool isOurs, TimeSpan? interval = null)
        => isOurs
            ? StartOursAsync("hub", interval, new LeafNodeOptions
            {
                Listen = new LeafListenOptions
                {
                    EndPoint = new IPEndPoint(IPAddress.Loopback, _leafPort),
                    Users = [new PeerUser(new User("link", "secret"), Keys.System.Public)],
                    AuthTimeout = Wait.Limit,
                },
            })
            : Task.FromResult(StartTheirs("hub", string.Create(CultureInfo.InvariantCulture, $"leafnodes {{ listen: \"127.0.0.1:{_leafPort}\" }}")));

    /// <summary>Starts the leaf node and returns the address for clients.</summary>
    /// <param name="isOurs">Whether it is this server.</param>
    /// <param name="ofOurs">Whether the hub is this server.</param>
    /// <param name="interval">The interval of the resolver.</param>
    internal Task<EndPoint> StartLeafAsync(bool isOurs, bool ofOurs, TimeSpan? interval = null)
    {
        string url = ofOurs ? LeafSite.Url(_leafPort, LinkUser) : LeafSite.Url(_leafPort);
        if (isOurs)
        {
            var remote = new LeafRemoteOptions { Urls = [url], Account = Keys.System.Public, Credentials = ofOurs ? null : new SystemCredentials(this) };
            return StartOursAsync("leaf", interval, new LeafNodeOptions { Remotes = [remote], ReconnectDelay = TimeSpan.FromMilliseconds(50) });
        }

        return Task.FromResult(StartTheirs("leaf", $"leafnodes {{ remotes [ {{ url: \"{url}\", account: {Keys.System} }} ] }}"));
    }

    /// <summary>Connects a user of the account, or of the system account.</summary>
    internal async Task<BrokerConnection> ConnectAsync(EndPoint server, bool isSystem = false)
    {
        JwtKey user = isSystem ? _systemUser : User;
        string jwt = Keys.UserJwt(user, signer: isSystem ? Keys.System : Main);
        BrokerConnection connection = await BrokerConnection.ConnectAsync(new ClientOptions
        {
            Servers = [$"nats://{server}"],
            ConnectTimeout = Wait.Limit,
            GetCredentials = _ => ValueTask.FromResult(new ConnectCredentials { Jwt = jwt, Sign = nonce => user.Sign(nonce.ToArray()) }),
        });
        _owned.Add(connection);
        return connection;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (IAsyncDisposable owned in Enumerable.Reverse(_owned))
        {
            await owned.DisposeAsync();
        }

        _folder.Delete(recursive: true);
    }

    private async Task<EndPoint> StartOursAsync(string name, TimeSpan? interval, LeafNodeOptions links)
    {
        var options = new BrokerServerOptions
        {
            ServerName = name,
            AuthTimeout = Wait.Limit,
            SystemAccount = Keys.System.Public,
            Operator = new OperatorOptions
            {
                Operators = [Keys.OperatorJwt()],
                Accounts = JwtSite.ByAccount(Account(Keys.System)),
                Resolver = new DirectoryResolver(Path.Combine(_folder.FullName, name))
                {
                    Deletion = AccountDeletion.Renames,
                    Interval = interval ?? TimeSpan.FromMinutes(10),
                    Timeout = TimeSpan.FromMinutes(1),
                },
            },
        };
        BrokerServer server = await BrokerServer.StartAsync(options.UseCryptography().Listen(0));
        _owned.Add(server);
        _owned.Add(LeafNodes.Start(server, links));
        return server.EndPoints[0];
    }

    private EndPoint StartTheirs(string name, string more)
    {
        string configuration = $"server_name: {name}\nauthorization {{ timeout: 60 }}\noperator: \"{Keys.OperatorJwt()}\"\nsystem_account: {Keys.System}\n"
            + $"resolver: {{ type: full, dir: \"{Path.Combine(_folder.FullName, name)}\", allow_delete: true, interval: \"1s\", timeout: \"30s\" }}\n"
            + $"resolver_preload {{ {Keys.System}: \"{Account(Keys.System)}\" }}\n{more}\n";
        var server = NatsServer.StartWithConfiguration(configuration, NewerNatsServers.Require(NewerNatsServers.Sid), []);
        _owned.Add(new Owned(server));
        return server.EndPoint;
    }

    private sealed class Owned(IDisposable inner) : IAsyncDisposable
    {
        public ValueTask DisposeAsync()
        {
            inner.Dispose();
            return ValueTask.CompletedTask;
        }
    }

    private sealed class SystemCredentials(SystemLink link) : ILeafCredentialSource
    {
        public LeafCredentials Read() => new()
        {
            Jwt = link.Keys.UserJwt(link._systemUser, signer: link.Keys.System),
            Sign = nonce => link._systemUser.Sign(nonce.ToArray()),
        };
    }
}
