using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests.Clients;

/// <summary>
/// Tests that an official client receives an error for a forbidden operation, and that its connection stays open.
/// </summary>
[Trait("clients", "official")]
public sealed class PermissionTests(SharedServers servers)
{
    [Theory]
    [MemberData(nameof(Combinations.All), MemberType = typeof(Combinations))]
    public async Task A_publish_that_is_not_allowed_is_told_and_nothing_else_changes(string client, string server)
    {
        string url = (await servers.WithUsersAsync(server)).Url;
        string subject = "open." + SharedServers.NewSubject();
        await using NatsSession ada = await NatsSession.ConnectAsync(client, url, "user=ada", "pass=plain");
        await using NatsSession eve = await NatsSession.ConnectAsync(client, url, "user=eve", "pass=pw");
        await ada.SubscribeAsync("all", subject + ".>");
        await ada.SubscribeAsync("closed", "closed." + subject);

        await eve.PublishAsync("closed." + subject, "no");
        Told("publish", "closed." + subject, await eve.EventAsync("error"));
        await eve.PublishAsync("open.secret", "no");
        Told("publish", "open.secret", await eve.EventAsync("error"));
        await eve.PublishAsync(subject + ".a", "yes");

        Assert.Equal("yes", (await ada.ReadAsync("all")).PayloadText);
        Assert.Empty(ada.Received("closed"));
        eve.AssertNoEvent("");
    }

    [Theory]
    [MemberData(nameof(Combinations.All), MemberType = typeof(Combinations))]
    public async Task A_subscription_that_is_not_allowed_is_told_and_the_others_go_on(string client, string server)
    {
        string url = (await servers.WithUsersAsync(server)).Url;
        string subject = "open." + SharedServers.NewSubject();
        await using NatsSession ada = await NatsSession.ConnectAsync(client, url, "user=ada", "pass=plain");
        await using NatsSession eve = await NatsSession.ConnectAsync(client, url, "user=eve", "pass=pw");
        await eve.SubscribeAsync("allowed", subject);

        await eve.SubscribeAsync("denied", "closed." + subject);
        Told("subscription", "closed." + subject, await eve.EventAsync("error"));
        await eve.SubscribeAsync("secret", "open.secret", "queue");
        Told("subscription", "open.secret", await eve.EventAsync("error"));
        await ada.PublishAsync("closed." + subject, "no");
        await ada.PublishAsync(subject, "yes");

        Assert.Equal("yes", (await eve.ReadAsync("allowed")).PayloadText);
        Assert.Empty(eve.Received("denied"));
        eve.AssertNoEvent("");
    }

    [Theory]
    [MemberData(nameof(Combinations.All), MemberType = typeof(Combinations))]
    public async Task A_wildcard_over_a_denied_subject_delivers_all_but_that(string client, string server)
    {
        string url = (await servers.WithUsersAsync(server)).Url;
        string last = "open." + SharedServers.NewSubject();
        await using NatsSession ada = await NatsSession.ConnectAsync(client, url, "user=ada", "pass=plain");
        await using NatsSession eve = await NatsSession.ConnectAsync(client, url, "user=eve", "pass=pw");
        await eve.SubscribeAsync("all", "open.*");

        await ada.PublishAsync("open.secret", "no");
        await ada.PublishAsync(last, "yes");

        Message message;
        do
        {
            // Other tests publish below the wildcard too.
            message = await eve.ReadAsync("all");
            Assert.NotEqual("open.secret", message.Subject);
        }
        while (message.Subject != last);
    }

    [Theory]
    [MemberData(nameof(Combinations.All), MemberType = typeof(Combinations))]
    public async Task A_service_may_answer_as_often_as_allowed_and_publish_nothing_else(string client, string server)
    {
        string url = (await servers.WithUsersAsync(server)).Url;
        string subject = "open." + SharedServers.NewSubject();
        await using NatsSession ada = await NatsSession.ConnectAsync(client, url, "user=ada", "pass=plain");
        await using NatsSession service = await NatsSession.ConnectAsync(client, url, "user=service", "pass=pw");
        await service.RespondAsync("answers", subject, answers: 3);
        await ada.SubscribeAsync("reply", subject + ".reply");

        await ada.AskAsync(subject, subject + ".reply", "ask");
        Told("publish", subject + ".reply", await service.EventAsync("error"));
        await service.PublishAsync(subject, "unasked");
        Told("publish", subject, await service.EventAsync("error"));
        Assert.Equal("ask again", await ada.RequestAsync(subject, "ask again"));

        Assert.Equal("ask", (await ada.ReadAsync("reply")).PayloadText);
        Assert.Equal("ask", (await ada.ReadAsync("reply")).PayloadText);
        Assert.Empty(ada.Received("reply"));
    }

    private static void Told(string what, string subject, string text)
    {
        Assert.Contains($"Permissions Violation for {what} to \"{subject}\"", text, StringComparison.OrdinalIgnoreCase);
    }
}
