using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests.Clients;

/// <summary>Tests the authentication of official clients, and their errors if it fails.</summary>
[Trait("clients", "official")]
public sealed class AuthenticationTests(SharedServers servers)
{
    [Theory]
    [MemberData(nameof(Combinations.All), MemberType = typeof(Combinations))]
    public async Task A_token_lets_in_and_a_wrong_one_does_not(string client, string server)
    {
        string url = (await servers.WithTokenAsync(server)).Url;

        await using NatsSession session = await NatsSession.ConnectAsync(client, url, "token=letmein");
        await session.RoundTripAsync();

        Refused(await NatsSession.RefusalAsync(client, url, "token=wrong"));
        Refused(await NatsSession.RefusalAsync(client, url, "user=letmein", "pass=letmein"));
        Refused(await NatsSession.RefusalAsync(client, url));
    }

    [Theory]
    [MemberData(nameof(Combinations.All), MemberType = typeof(Combinations))]
    public async Task A_password_in_clear_or_kept_as_a_hash_lets_in_and_a_wrong_one_does_not(string client, string server)
    {
        string url = (await servers.WithUsersAsync(server)).Url;

        await using NatsSession ada = await NatsSession.ConnectAsync(client, url, "user=ada", "pass=plain");
        await using NatsSession bob = await NatsSession.ConnectAsync(client, url, "user=bob", "pass=secret");
        await AreConnectedAsync(ada, bob);

        Refused(await NatsSession.RefusalAsync(client, url, "user=ada", "pass=secret"));
        Refused(await NatsSession.RefusalAsync(client, url, "user=bob", "pass=plain"));
        Refused(await NatsSession.RefusalAsync(client, url, "user=nobody", "pass=plain"));
        Refused(await NatsSession.RefusalAsync(client, url, "token=plain"));
    }

    [Theory]
    [MemberData(nameof(Combinations.All), MemberType = typeof(Combinations))]
    public async Task The_owner_of_an_nkey_signs_its_way_in_and_another_key_does_not(string client, string server)
    {
        string url = (await servers.WithUsersAsync(server)).Url;

        await using NatsSession owner = await NatsSession.ConnectAsync(client, url, servers.Key.Options);
        await using NatsSession ada = await NatsSession.ConnectAsync(client, url, "user=ada", "pass=plain");
        await AreConnectedAsync(owner, ada);

        Refused(await NatsSession.RefusalAsync(client, url, UserKey.Create().Options));
    }

    [Theory]
    [MemberData(nameof(Combinations.All), MemberType = typeof(Combinations))]
    public async Task A_client_without_credentials_is_the_user_that_the_configuration_names(string client, string server)
    {
        string url = (await servers.WithUsersAsync(server)).Url;
        string subject = "guest." + SharedServers.NewSubject();

        await using NatsSession guest = await NatsSession.ConnectAsync(client, url);
        await guest.SubscribeAsync("a", subject);
        await guest.PublishAsync(subject, "hello");
        Assert.Equal("hello", (await guest.ReadAsync("a")).PayloadText);

        await guest.PublishAsync("elsewhere", "hello");
        Assert.Contains("Permissions Violation", await guest.EventAsync("error"), StringComparison.OrdinalIgnoreCase);
    }

    [Theory]
    // Without nats.js, whose signer cannot wait without blocking its event loop.
    [InlineData("nats.c", "broker")]
    [InlineData("nats.go", "broker")]
    [InlineData("nats.c", "nats-server")]
    [InlineData("nats.go", "nats-server")]
    public async Task A_client_that_is_late_with_its_signature_is_refused(string client, string server)
    {
        string[] slow = [.. servers.Key.Options, "sign_after=500"];
        string users = $"users = [ {{ nkey: {servers.Key.Public} }} ]";
        await using ConfiguredServer impatient = await ConfiguredServer.StartAsync(server, $"authorization {{ timeout: 0.1, {users} }}\n");
        await using ConfiguredServer patient = await ConfiguredServer.StartAsync(server, $"authorization {{ timeout: 30, {users} }}\n");

        string refusal = await NatsSession.RefusalAsync(client, impatient.Url, slow);

        // A client that writes CONNECT after the close may see the reset before it reads the error. libnats may read
        // the end as an empty response.
        Assert.Matches("(?i)authentication timeout|closed|reset|broken pipe|got ''", refusal);
        await using NatsSession session = await NatsSession.ConnectAsync(client, patient.Url, slow);
        await session.RoundTripAsync();
    }

    [Theory]
    [MemberData(nameof(Combinations.All), MemberType = typeof(Combinations))]
    public async Task A_user_that_a_reload_removes_is_closed_and_the_others_notice_nothing(string client, string server)
    {
        const string Before = "authorization { timeout: 60, users = [ { user: a, password: old }, { user: b, password: pw } ] }\n";
        const string After = "authorization { timeout: 60, users = [ { user: b, password: pw } ] }\n";
        await using ConfiguredServer reloaded = await ConfiguredServer.StartAsync(server, Before);
        await using NatsSession removed = await NatsSession.ConnectAsync(client, reloaded.Url, "user=a", "pass=old");
        await using NatsSession other = await NatsSession.ConnectAsync(client, reloaded.Url, "user=b", "pass=pw");
        await other.SubscribeAsync("a", "subject");

        await reloaded.ReloadAsync(After);

        // The client tries again with the same credentials, and gives up when they are refused again.
        Assert.Matches("(?i)authorization|revoked", await removed.EventAsync("closed"));
        await other.PublishAsync("subject", "still here");
        Assert.Equal("still here", (await other.ReadAsync("a")).PayloadText);
        other.AssertNoEvent("");
    }

    private static async Task AreConnectedAsync(NatsSession one, NatsSession two)
    {
        string subject = SharedServers.NewSubject();
        await one.SubscribeAsync("a", subject);
        await two.PublishAsync(subject, "hello");
        Assert.Equal("hello", (await one.ReadAsync("a")).PayloadText);
    }

    private static void Refused(string reason) => Assert.Contains("authorization", reason, StringComparison.OrdinalIgnoreCase);
}
