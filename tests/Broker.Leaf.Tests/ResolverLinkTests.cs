using System.Net;
using System.Text;
using System.Text.Json;
using Broker.Client;
using Broker.Leaf.Tests.Support;

namespace Broker.Leaf.Tests;

/// <summary>
/// Servers of one operator whose directories of accounts stay equal over a link of the system account.
/// </summary>
public sealed class ResolverLinkTests
{
    private const string Update = "$SYS.REQ.CLAIMS.UPDATE";

    // Whether the hub and the leaf node are this server or nats-server 2.15.1.
    public static TheoryData<bool, bool> Servers => new() { { true, true }, { true, false }, { false, true } };

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task An_update_at_one_server_is_acknowledged_and_used_by_the_other(bool isHubOurs, bool isLeafOurs)
    {
        await using var link = new SystemLink();
        EndPoint hub = await link.StartHubAsync(isHubOurs);
        EndPoint leaf = await link.StartLeafAsync(isLeafOurs, isHubOurs);
        foreach ((EndPoint from, EndPoint to, int later) in new[] { (hub, leaf, 0), (leaf, hub, 100) })
        {
            BrokerConnection system = await link.ConnectAsync(from, isSystem: true);
            await Wait.UntilAsync(async () => (await PushAsync(system, link.Account(link.Main, later))).Count == 2, "the answers of both servers");
            BrokerConnection user = await link.ConnectAsync(to);
            await user.PingAsync(Ended);

            string revoking = link.Account(link.Main, later + 10, "\"revocations\":{\"*\":1800000000},");
            IReadOnlyList<string> names = await PushAsync(system, revoking);

            Assert.Equal(["hub", "leaf"], names.Order(StringComparer.Ordinal));
            await Assert.ThrowsAnyAsync<Exception>(() => link.ConnectAsync(to));
            await Wait.UntilAsync(() => user.State != ConnectionState.Connected, "the end of the revoked user");
            Assert.True(link.Has("hub", link.Main, revoking) && link.Has("leaf", link.Main, revoking));
        }
    }

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task A_server_that_was_away_has_the_newer_accounts_of_both_after_the_interval(bool isHubOurs, bool isLeafOurs)
    {
        await using var link = new SystemLink();
        (JwtKey ofHub, JwtKey ofLeaf, JwtKey ofBoth) = (JwtKey.ForAccount(), JwtKey.ForAccount(), JwtKey.ForAccount());
        link.Write("hub", ofHub, link.Account(ofHub));
        link.Write("hub", ofBoth, link.Account(ofBoth, later: 5));
        link.Write("leaf", ofLeaf, link.Account(ofLeaf));
        link.Write("leaf", ofBoth, link.Account(ofBoth));
        var interval = TimeSpan.FromMilliseconds(200);
        await link.StartHubAsync(isHubOurs, interval);
        await link.StartLeafAsync(isLeafOurs, isHubOurs, interval);

        foreach (string server in new[] { "hub", "leaf" })
        {
            await Wait.UntilAsync(() => link.Has(server, ofHub, link.Account(ofHub)), "the account of the hub");
            await Wait.UntilAsync(() => link.Has(server, ofLeaf, link.Account(ofLeaf)), "the account of the leaf node");
            await Wait.UntilAsync(() => link.Has(server, ofBoth, link.Account(ofBoth, later: 5)), "the newer account");
        }
    }

    [Fact]
    public async Task A_merged_account_applies_to_connected_users_and_a_strangers_account_is_not_taken()
    {
        await using var link = new SystemLink();
        var strangers = JwtKey.ForAccount();
        string revoking = link.Account(link.Main, later: 10, "\"revocations\":{\"*\":1800000000},");
        link.Write("hub", link.Main, revoking);
        link.Write("hub", strangers, JwtKey.ForOperator().Sign(strangers.Public, JwtSite.NoLimits + ",\"type\":\"account\",\"version\":2"));
        link.Write("leaf", link.Main, link.Account(link.Main));
        var interval = TimeSpan.FromMilliseconds(200);
        EndPoint leaf = await link.StartLeafAsync(isOurs: true, ofOurs: true, interval);
        BrokerConnection user = await link.ConnectAsync(leaf);

        await link.StartHubAsync(isOurs: true, interval);

        await Wait.UntilAsync(() => user.State != ConnectionState.Connected, "the end of the revoked user");
        Assert.True(link.Has("leaf", link.Main, revoking));
        Assert.False(File.Exists(link.FileOf("leaf", strangers)));
    }

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task A_login_finds_an_account_that_only_the_other_server_has(bool isHubOurs, bool isLeafOurs)
    {
        // Without the interval, only a lookup can find it.
        await using var link = new SystemLink();
        string other = isLeafOurs ? "hub" : "leaf";
        link.Write(other, link.Main, link.Account(link.Main));
        EndPoint hub = await link.StartHubAsync(isHubOurs);
        EndPoint leaf = await link.StartLeafAsync(isLeafOurs, isHubOurs);
        await UntilLinkedAsync(link, isLeafOurs ? leaf : hub);

        BrokerConnection user = await link.ConnectAsync(isLeafOurs ? leaf : hub);

        await user.PingAsync(Ended);
        Assert.True(link.Has(isLeafOurs ? "leaf" : "hub", link.Main, link.Account(link.Main)));
    }

    [Fact]
    public async Task A_deleted_account_does_not_come_back_from_a_server_that_was_away()
    {
        await using var link = new SystemLink();
        var next = JwtKey.ForAccount();
        link.Write("hub", link.Main, link.Account(link.Main));
        File.Move(link.FileOf("hub", link.Main), link.FileOf("hub", link.Main) + ".deleted");
        link.Write("leaf", link.Main, link.Account(link.Main));
        link.Write("leaf", next, link.Account(next));
        var interval = TimeSpan.FromMilliseconds(200);
        EndPoint hub = await link.StartHubAsync(isOurs: true, interval);
        EndPoint leaf = await link.StartLeafAsync(isOurs: true, ofOurs: true, interval);

        await Wait.UntilAsync(() => link.Has("hub", next, link.Account(next)), "the other account");
        await Assert.ThrowsAnyAsync<Exception>(() => link.ConnectAsync(hub));
        Assert.False(File.Exists(link.FileOf("hub", link.Main)));

        BrokerConnection system = await link.ConnectAsync(leaf, isSystem: true);
        await PushAsync(system, link.Account(link.Main, later: 1));
        await Wait.UntilAsync(() => link.Has("hub", link.Main, link.Account(link.Main, later: 1)), "the account that was made again");
    }

    private static async Task UntilLinkedAsync(SystemLink link, EndPoint server)
    {
        BrokerConnection system = await link.ConnectAsync(server, isSystem: true);
        await Wait.UntilAsync(
            async () => (await system.GatherAsync("$SYS.REQ.CLAIMS.LIST", "", Two, cancellationToken: Ended)).Count == 2, "the link");
    }

    private static RequestManyOptions Two => new() { MaxReplies = 2, Deadline = TimeSpan.FromSeconds(2) };

    // The names of the servers that acknowledge.
    private static async Task<IReadOnlyList<string>> PushAsync(BrokerConnection system, string jwt)
    {
        var names = new List<string>();
        foreach (Message answer in await system.GatherAsync(Update, jwt, Two, cancellationToken: Ended))
        {
            using var json = JsonDocument.Parse(Encoding.UTF8.GetString(answer.Body.Span));
            Assert.True(json.RootElement.TryGetProperty("data", out _), json.RootElement.ToString());
            names.Add(json.RootElement.GetProperty("server").GetProperty("name").GetString()!);
        }

        return names;
    }
}
