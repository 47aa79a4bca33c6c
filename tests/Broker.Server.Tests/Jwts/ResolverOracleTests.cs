using System.Net;
using System.Security.Cryptography;
using System.Text;

namespace Broker.Server.Tests.Jwts;

/// <summary>Puts the requests of nsc and updates of accounts to this server and to nats-server, and compares the answers.</summary>
public sealed class ResolverOracleTests
{
    private const string Update = "$SYS.REQ.CLAIMS.UPDATE";
    private const string Remove = "$SYS.REQ.CLAIMS.DELETE";
    private const string Unlimited = JwtSite.NoLimits + ",";

    // The answers of this server that differ, with the reason.
    private static readonly Dictionary<string, string> Differences = new(StringComparer.Ordinal)
    {
        // nats-server stores it, and the account goes back to earlier claims.
        ["older"] = "error {\"account\":\"MAIN\",\"code\":500,\"description\":\"jwt update resulted in error - a newer jwt of this account is stored\"}",

        // nats-server stores it, and refuses the users of the account after its next start.
        ["stranger"] = "error {\"account\":\"n/a\",\"code\":500,\"description\":\"jwt update resulted in error - \\u0022iss\\u0022 is not a key of an operator of this server\"}",

        // The reason is another text.
        ["garbage"] = "error {\"account\":\"n/a\",\"code\":500,\"description\":\"jwt update resulted in error - it does not consist of three parts in base64url\"}",
        ["nothing"] = "error {\"account\":\"n/a\",\"code\":500,\"description\":\"jwt update resulted in error - it does not consist of three parts in base64url\"}",
        ["of a user"] = "error {\"account\":\"n/a\",\"code\":500,\"description\":\"jwt update resulted in error - its \\u0022nats.type\\u0022 is not \\u0022account\\u0022\"}",
        ["delete garbage"] = "error {\"code\":500,\"description\":\"delete accounts request by  failed - it does not consist of three parts in base64url\"}",
    };

    [Theory]
    [InlineData("full")]
    [InlineData("cache")]
    public async Task This_server_answers_requests_about_accounts_as_nats_server_does(string type)
    {
        using var site = new ResolverSite();
        List<string> theirs;
        using (NatsServer server = site.StartTheirs(NewerNatsServers.Sid, type))
        {
            theirs = Play(site, server.EndPoint, type);
        }

        foreach (FileInfo file in site.Directory.EnumerateFiles())
        {
            file.Delete();
        }

        await using BrokerServer ours = await site.StartAsync(new DirectoryResolver(site.Directory.FullName)
        {
            IsCache = type == "cache",
            Deletion = type == "cache" ? AccountDeletion.Removes : AccountDeletion.Renames,
        });
        List<string> own = Play(site, ours.EndPoints[0], type);

        Assert.Equal(theirs.Count, own.Count);
        foreach ((string one, string other) in theirs.Zip(own))
        {
            string name = one[..one.IndexOf(':', StringComparison.Ordinal)];
            bool isOfCache = type == "cache" && name is "older" or "stranger";
            string expected = Differences.TryGetValue(name, out string? known) && !(isOfCache && name == "older")
                ? $"{name}: {(type == "cache" ? known.Replace("jwt update resulted", "jwt update cache resulted", StringComparison.Ordinal) : known)}"
                : one;
            Assert.Equal(expected, other);
        }
    }

    private static List<string> Play(ResolverSite site, EndPoint server, string type)
    {
        var stranger = JwtKey.ForOperator();
        var other = JwtKey.ForAccount();
        string main = site.Account(site.Main, later: 10);
        var said = new List<string>();
        using ResolverClient system = site.ConnectSystem(server);
        Say("update", system.Request(Update, main));
        Say("update by its subject", system.Request($"$SYS.REQ.ACCOUNT.{site.Main}.CLAIMS.UPDATE", main));
        Say("update by the old subject", system.Request($"$SYS.ACCOUNT.{site.Main}.CLAIMS.UPDATE", main));
        Say("of another subject", system.Request($"$SYS.REQ.ACCOUNT.{site.Keys.System}.CLAIMS.UPDATE", main));
        Say("older", system.Request(Update, site.Account(site.Main)));
        Say("newest again", system.Request(Update, main));
        Say("garbage", system.Request(Update, "garbage"));
        Say("nothing", system.Request(Update));
        Say("of a user", system.Request(Update, site.Keys.UserJwt(site.User)));
        Say("list", system.Request("$SYS.REQ.CLAIMS.LIST"));
        Say("lookup", system.Request($"$SYS.REQ.ACCOUNT.{site.Main}.CLAIMS.LOOKUP") == main ? "it" : "none");
        if (type == "full")
        {
            Say("lookup of nobody", system.Request($"$SYS.REQ.ACCOUNT.{other}.CLAIMS.LOOKUP"));
            string[] packed = [.. system.RequestMany("$SYS.REQ.CLAIMS.PACK", [1]).Order(StringComparer.Ordinal)];
            Say("pack", string.Join(' ', packed));
            Say("pack of equal stores", string.Join(' ', system.RequestMany("$SYS.REQ.CLAIMS.PACK", HashOf(packed))));
            using ResolverClient user = site.Connect(server, site.Main);
            Say("user", user.Sync());
            Say("request of a user", user.Request(Update, main));
            PlayDeletions(site, system, stranger, Say);
            Say("user of a deleted account", user.End());
        }
        else
        {
            PlayDeletions(site, system, stranger, Say);
        }

        using (ResolverClient late = site.Connect(server, site.Main))
        {
            Say("late", late.End());
        }

        Say("stranger", system.Request(Update, stranger.Sign(site.Main.Public, Unlimited + "\"type\":\"account\",\"version\":2", issued: 1_800_000_000)));
        return said;

        void Say(string name, string what)
            => said.Add($"{name}: {what.Replace(site.Main.Public, "MAIN", StringComparison.Ordinal).Replace(stranger.Public, "STRANGER", StringComparison.Ordinal)}");
    }

    private static void PlayDeletions(ResolverSite site, ResolverClient system, JwtKey stranger, Action<string, string> say)
    {
        JwtKey trusted = site.Keys.Operator;
        say("delete garbage", system.Request(Remove, "x"));
        say("delete by a stranger", system.Request(Remove, site.Delete(stranger, site.Main)));
        say("delete nothing", system.Request(Remove, site.Delete(trusted)));
        say("delete the system account", system.Request(Remove, site.Delete(trusted, site.Keys.System)));
        say("delete", system.Request(Remove, site.Delete(trusted, site.Main)));
    }

    private static byte[] HashOf(IEnumerable<string> packed)
    {
        byte[] all = new byte[SHA256.HashSizeInBytes];
        foreach (string one in packed)
        {
            byte[] hash = SHA256.HashData(Encoding.ASCII.GetBytes(one[(one.IndexOf('|', StringComparison.Ordinal) + 1)..]));
            for (int i = 0; i < all.Length; i++)
            {
                all[i] ^= hash[i];
            }
        }

        return all;
    }

    public static TheoryData<string> Updates => [.. LiveUpdates.Keys];

    // The claims of "main" before and after, what its user does before, and afterwards.
    private static Dictionary<string, (string Before, string After, string First, string Then)> LiveUpdates { get; } = new(StringComparer.Ordinal)
    {
        ["a revoked user"] = (Unlimited, Unlimited + "\"revocations\":{\"USER\":1700000000},", "", ""),
        ["all users revoked"] = (Unlimited, Unlimited + "\"revocations\":{\"*\":1700000000},", "", ""),
        ["an older revocation"] = (Unlimited, Unlimited + "\"revocations\":{\"USER\":1699999999},", "", "PUB a 1\r\nx"),
        ["no connections"] = (Unlimited, JwtSite.NoLimits.Replace("\"conn\":-1", "\"conn\":0", StringComparison.Ordinal) + ",", "", ""),
        ["default permissions to publish"] = (Unlimited, Unlimited + "\"default_permissions\":{\"pub\":{\"deny\":[\"a\"]}},", "PUB a 1\r\nx", "PUB a 1\r\nx\r\nPUB b 1\r\nx"),
        ["default permissions to subscribe"] = (Unlimited, Unlimited + "\"default_permissions\":{\"sub\":{\"deny\":[\"a\"]}},", "SUB a 1\r\nSUB b 2", "PUB a 1\r\nx\r\nPUB b 1\r\ny"),
        ["permissions that end"] = (Unlimited + "\"default_permissions\":{\"pub\":{\"deny\":[\"a\"]}},", Unlimited, "PUB a 1\r\nx", "SUB a 1\r\nPUB a 1\r\nx"),
        ["a mapping"] = (Unlimited, Unlimited + "\"mappings\":{\"a\":[{\"subject\":\"b\",\"weight\":100}]},", "SUB b 1\r\nPUB a 1\r\nx", "PUB a 1\r\ny"),
        ["an end of a mapping"] = (Unlimited + "\"mappings\":{\"a\":[{\"subject\":\"b\",\"weight\":100}]},", Unlimited, "SUB b 1\r\nPUB a 1\r\nx", "PUB a 1\r\ny\r\nPUB b 1\r\nz"),
    };

    [Theory]
    [MemberData(nameof(Updates))]
    public async Task An_update_applies_to_a_connected_user_as_in_nats_server(string name)
    {
        using var site = new ResolverSite();
        string theirs;
        using (NatsServer server = site.StartTheirs(NewerNatsServers.Sid, "full"))
        {
            theirs = PlayUpdate(site, server.EndPoint, name);
        }

        foreach (FileInfo file in site.Directory.EnumerateFiles())
        {
            file.Delete();
        }

        await using BrokerServer ours = await site.StartAsync();
        Assert.Equal(theirs, PlayUpdate(site, ours.EndPoints[0], name));
    }

    private static string PlayUpdate(ResolverSite site, EndPoint server, string name)
    {
        (string before, string after, string first, string then) = LiveUpdates[name];
        using ResolverClient system = site.ConnectSystem(server);
        string said = system.Request(Update, Jwt(before, 0)) + "\n";
        using ResolverClient user = site.Connect(server, site.Main);
        using ResolverClient neighbour = site.Connect(server, site.Keys.System, JwtKey.ForUser());
        Say(first);
        said += system.Request(Update, Jwt(after, 5)) + "\n";
        Say(then);
        user.Raw.SendWhatGoes("PING\r\n");
        return said + (user.Raw.ReadLine() is "" ? "<closed>" : "<open>") + neighbour.Sync();

        void Say(string operations)
        {
            user.Raw.SendWhatGoes(operations.Length == 0 ? "" : operations + "\r\n");
            said += user.Sync() + "\n";
        }

        string Jwt(string claims, int later)
            => site.Keys.Operator.Sign(
                site.Main.Public,
                claims.Replace("USER", site.User.Public, StringComparison.Ordinal) + "\"type\":\"account\",\"version\":2",
                issued: 1_700_000_000 + later);
    }
}
