using System.Text.Json.Serialization;
using Broker.Client.Tests.Support;
using Broker.Cryptography;
using Broker.Server;

#pragma warning disable IDE0007, IDE0008, xUnit1051 // The code is the same as in the document.

namespace Broker.Client.Tests.Documents;

/// <summary>
/// The code that docs/client.md shows to users of NATS.Net is in the programs below, word for word, and the programs
/// work with both servers. Addresses and files of the document are variables here.
/// </summary>
public sealed partial class MovedProgramTests
{
    private static readonly (string Shown, string Here)[] Variables =
        [("\"nats://host\"", "url"), ("\"nats://a\"", "dead"), ("\"nats://b\"", "url"), ("\"user.creds\"", "file"), ("OrdersJson", "ShopJson")];

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public sealed record Order(string Article, int Pieces);

    public sealed record Query(string Article);

    public sealed record Answer(int Pieces);

    [JsonSerializable(typeof(Order))]
    [JsonSerializable(typeof(Query))]
    [JsonSerializable(typeof(Answer))]
    private sealed partial class ShopJson : JsonSerializerContext;

    [Fact]
    public void Each_line_is_in_the_programs()
    {
        string here = Pages.Read("tests", "Broker.Client.Tests", "Documents", "MovedProgramTests.cs");
        here = here[here.IndexOf("// Programs", StringComparison.Ordinal)..];
        string[][] rows = Pages.Rows("client.md", "Moving over from NATS.Net");
        Assert.Equal(29, rows.Length);
        foreach (string code in rows.SelectMany(static row => Pages.Code(row[1])))
        {
            string text = Variables.Aggregate(code, (t, v) => t.Replace(v.Shown, v.Here, StringComparison.Ordinal));
            foreach (string part in text.Split('…', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries))
            {
                Assert.Contains(part.TrimEnd(';'), here, StringComparison.Ordinal);
            }
        }
    }

    // Programs

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task A_program_that_publishes_and_subscribes_works(ServerKind kind)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        string url = server.Url;
        byte[] bytes = [1, 2, 3];
        await Patient.WarmUpAsync(url, Token);
        await using var nats = await BrokerConnection.ConnectAsync(url);
        await using var sub = nats.SubscribeQueued("a");
        await nats.PublishAsync("a", bytes);
        nats.Publish("a", bytes);
        nats.Publish("a", bytes, replyTo: BrokerConnection.NewInbox(), headers: new MessageHeaders { ["k"] = "v" });
        for (int i = 0; i < 3; i++)
        {
            Message m = await sub.Reader.ReadAsync(Token);
            Assert.Equal("a", m.Subject);
            Assert.Equal(bytes, m.Body.ToArray());
            Assert.Equal(i == 2, m.ReplyTo is not null);
            Assert.Equal(i == 2 ? "v" : null, m.Headers["k"]);
        }

        await nats.PublishAsync("a", "text");
        nats.Publish("a", "text");
        for (int i = 0; i < 2; i++)
        {
            Message m = await sub.Reader.ReadAsync(Token);
            Assert.Equal("text", m.Text);
        }

        Assert.StartsWith("my.answers.", BrokerConnection.NewInbox("my.answers"), StringComparison.Ordinal);
        await nats.PingAsync();
        await nats.ReconnectAsync();
        Assert.NotEqual(0u, nats.ServerInfo?.ClientId);
        await nats.FlushAsync(Token);
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task A_program_that_connects_in_the_background_and_reads_until_it_is_cancelled_works(ServerKind kind)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        string url = server.Url;
        await Patient.WarmUpAsync(url, Token);
        await using var nats = BrokerConnection.ConnectInBackground(new ClientOptions { Servers = [url] });
        TimeSpan idle = TimeSpan.FromMilliseconds(100);
        await foreach (Message m in nats.ReadAsync("quiet", new QueueOptions { IdleTimeout = idle }))
        {
            Assert.Fail($"unexpected: {m}");
        }

        using var cancel = new CancellationTokenSource();
        var read = new List<string>();
        Task reading = ReadAsync();
        nats.Publish("a", "first");
        await Wait.For(reading);
        Assert.Equal(["first"], read);

        async Task ReadAsync() => await Assert.ThrowsAnyAsync<OperationCanceledException>(async () =>
        {
            await foreach (Message m in nats.ReadAsync("a", cancellationToken: cancel.Token))
            {
                read.Add(m.Text);
                await cancel.CancelAsync();
            }
        });
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task A_program_that_reads_messages_in_a_loop_works(ServerKind kind)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        await using BrokerConnection nats = await Patient.ConnectAsync(server.Options, Token);
        var orders = nats.WithEncoder(new JsonEncoder(ShopJson.Default));
        Task<string> raw = First();
        Task<string> shared = Shared();
        Task<Order> typed = FirstOrder();
        await nats.PingAsync(Token);
        var order = new Order("tea", 2);
        orders.Publish("a.b", order);
        orders.Publish("a", order);
        Assert.Equal("a.b", await Wait.For(raw));
        Assert.Equal("a", await Wait.For(shared));
        Assert.Equal(order, await Wait.For(typed));

        async Task<string> First()
        {
            await foreach (var m in nats.ReadAsync("a.>"))
            {
                return m.Subject;
            }

            return "";
        }

        async Task<string> Shared()
        {
            await foreach (var m in nats.ReadAsync("a", queue: "q"))
            {
                return m.Subject;
            }

            return "";
        }

        async Task<Order> FirstOrder()
        {
            await foreach (var order in orders.ReadAsync<Order>("a.>"))
            {
                return order;
            }

            throw new InvalidOperationException("It ended without an order.");
        }
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task A_program_that_sends_requests_works(ServerKind kind)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        await using BrokerConnection nats = await Patient.ConnectAsync(server.Options with { RequestTimeout = Wait.Limit }, Token);
        byte[] bytes = [4];
        nats.Subscribe("a", (in MessageView m) =>
        {
            m.Respond(bytes);
            m.Respond([]);
        });
        nats.Subscribe("silent", static (in MessageView _) => { });
        Message answer = await nats.RequestAsync("a", bytes);
        Assert.Equal(bytes, answer.Body.ToArray());
        answer = await nats.RequestAsync("a", "text");
        Assert.Equal(bytes, answer.Body.ToArray());
        int answers = 0;
        await foreach (Message _ in nats.RequestManyAsync("a", bytes, new() { Sentinel = static (in m) => m.Body.IsEmpty }))
        {
            answers++;
        }

        Assert.Equal(1, answers);
        await Assert.ThrowsAsync<NoRespondersException>(async () => await nats.RequestAsync("nobody", bytes, Wait.Limit));
        await Assert.ThrowsAsync<TimeoutException>(async () => await nats.RequestAsync("silent", bytes, TimeSpan.FromMilliseconds(1)));
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task Programs_that_send_requests_with_values_and_reply_work(ServerKind kind)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        await using BrokerConnection nats = await Patient.ConnectAsync(server.Options with { RequestTimeout = Wait.Limit }, Token);
        EncodedConnection orders = nats.WithEncoder(JsonEncoder.Instance);
        orders.Subscribe<Query>("a", (asked, message) => orders.Respond(message, new Answer(asked.Article.Length)));
        var query = new Query("tea");
        Assert.Equal(new Answer(3), await orders.RequestAsync<Query, Answer>("a", query));

        byte[] bytes = [5];
        await using QueuedSubscription questions = nats.SubscribeQueued("raw");
        ValueTask<Message> asked = nats.RequestAsync("raw", default, Wait.Limit, cancellationToken: Token);
        Message m = await questions.Reader.ReadAsync(Token);
        m.Respond(bytes);
        Assert.Equal(bytes, (await asked).Body.ToArray());
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task Programs_with_options_run(ServerKind kind)
    {
        await using AnyServer server = await AnyServer.StartAsync(
            kind, static o => o.Users = [new User("u", "p")], "authorization { user: u, password: p }");
        string url = server.Url.Replace("nats://", "nats://u:p@", StringComparison.Ordinal);
        string dead = "nats://127.0.0.1:1";
        await Patient.WarmUpAsync(url, Token);
        var options = new ClientOptions
        {
            OnDisconnected = static (_, _) => { },
            OnReconnected = static _ => { },
            OnSlowConsumer = static (_, _) => { },
            OnLameDuck = static _ => { },
        };
        await using (BrokerConnection nats = await BrokerConnection.ConnectAsync(new ClientOptions { Servers = [dead, url], Name = "x" }))
        {
            await nats.PingAsync();
        }

        ClientOptions retries = new ClientOptions { FirstConnect = FirstConnect.Retry } with { OnConnectFailed = static (_, _) => { } };
        ClientOptions known = new ClientOptions { User = "u", Password = "p" } with { Servers = [server.Url] };
        await using BrokerConnection second = await BrokerConnection.ConnectAsync(
            options with { User = known.User, Password = known.Password, Servers = known.Servers, FirstConnect = retries.FirstConnect }, Token);
        await second.PingAsync(Token);
    }

    [Fact]
    public async Task A_program_with_a_credentials_file_runs()
    {
        var site = new OperatorSite();
        using var server = NatsServer.StartWithConfiguration(site.Configuration);
        string file = site.WriteCredentials();
        var user = UserCredentials.Load(file);
        await using BrokerConnection nats = await Patient.ConnectAsync(
            new ClientOptions { Servers = [server.Url], Jwt = () => user.Jwt, Sign = user.Sign }, Token);
        await nats.PingAsync(Token);
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task A_program_that_publishes_without_a_server_works(ServerKind kind)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        await using BrokerConnection nats = await Patient.ConnectAsync(server.Options with { ReconnectBufferSize = 1000 }, Token);
        await server.KillAsync();
        await Wait.UntilAsync(() => nats.State == ConnectionState.Reconnecting);
        byte[] bytes = new byte[600];
        nats.Publish("a", bytes);
        Assert.Equal(PublishStatus.BufferFull, Assert.Throws<PublishRefusedException>(() => nats.Publish("a", bytes)).Status);
        using var cancel = new CancellationTokenSource();
        ValueTask waits = nats.PublishAsync("a", bytes, cancellationToken: cancel.Token);
        Assert.False(waits.IsCompleted);
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await waits);
    }
}
