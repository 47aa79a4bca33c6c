using System.Net;

namespace Broker.Server.Tests.Jwts;

/// <summary>An operator with a system account and an account "main", whose JWTs are files of a directory.</summary>
internal sealed class ResolverSite : IDisposable
{
    internal JwtSite Keys { get; } = new();

    internal JwtKey Main => Keys.Account;

    internal JwtKey User { get; } = JwtKey.ForUser();

    internal DirectoryInfo Directory { get; } = System.IO.Directory.CreateTempSubdirectory("broker-resolver-");

    internal string FileOf(JwtKey account) => Path.Combine(Directory.FullName, account + ".jwt");

    internal void Write(JwtKey account, string jwt) => File.WriteAllText(FileOf(account), jwt);

    /// <summary>The JWT of an account, issued some seconds later than the first.</summary>
    internal string Account(JwtKey account, string claims = JwtSite.NoLimits + ",", int later = 0)
        => Keys.Operator.Sign(account.Public, $"{claims}\"type\":\"account\",\"version\":2", issued: 1_700_000_000 + later);

    /// <summary>A request to delete accounts.</summary>
    internal string Delete(JwtKey signer, params JwtKey[] accounts)
        => signer.Sign(signer.Public, $"\"accounts\":[{string.Join(',', accounts.Select(static a => $"\"{a}\""))}],\"type\":\"generic\",\"version\":2");

    internal ResolverClient Connect(EndPoint server, JwtKey account, JwtKey? user = null, string claims = JwtSite.NoUserLimits + ",")
        => new(server, Keys.UserJwt(user ?? User, claims, signer: account), user ?? User);

    internal ResolverClient ConnectSystem(EndPoint server) => Connect(server, Keys.System);

    /// <summary>Starts this server.</summary>
    internal Task<BrokerServer> StartAsync(DirectoryResolver? resolver = null, Action<BrokerServerOptions>? configure = null)
    {
        if (!File.Exists(FileOf(Keys.System)))
        {
            Write(Keys.System, Account(Keys.System));
        }

        return BrokerServer.StartAsync(
            o =>
            {
                o.Listen(0);
                o.SignatureVerifier = TestSignatures.One;
                o.AuthTimeout = Wait.Limit;
                o.SystemAccount = Keys.System.Public;
                o.Operator = new OperatorOptions
                {
                    Operators = [Keys.OperatorJwt()],
                    Resolver = resolver ?? new DirectoryResolver(Directory.FullName) { Deletion = AccountDeletion.Renames },
                };
                configure?.Invoke(o);
            },
            TestContext.Current.CancellationToken);
    }

    /// <summary>Starts nats-server.</summary>
    /// <param name="release">The folder of the release.</param>
    /// <param name="type">The type of the resolver.</param>
    /// <param name="timeout">How long the server asks others for an account that it does not know; null for its default.</param>
    internal NatsServer StartTheirs(string release, string type, string? timeout = null)
    {
        string more = (type == "full" ? ", allow_delete: true" : "") + (timeout is null ? "" : $", timeout: \"{timeout}\"");
        return NatsServer.StartWithConfiguration(
            $"authorization {{ timeout: 60 }}\noperator: \"{Keys.OperatorJwt()}\"\nsystem_account: {Keys.System}\n"
            + $"resolver: {{ type: {type}, dir: \"{Directory.FullName}\"{more} }}\nresolver_preload {{ {Keys.System}: \"{Account(Keys.System)}\" }}\n",
            NewerNatsServers.Require(release),
            []);
    }

    public void Dispose() => Directory.Delete(recursive: true);
}
