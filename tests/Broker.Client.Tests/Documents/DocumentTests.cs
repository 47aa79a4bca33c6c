using System.Globalization;
using System.Reflection;
using System.Text.Json.Serialization;
using Broker.Client.Tests.Support;
using Broker.Cryptography;
using Broker.Transport;
using Microsoft.Extensions.Logging;
using OfSomebodyNew;

#pragma warning disable IDE0007, IDE0008, xUnit1051 // The code is the same as in the documents.

namespace Broker.Client.Tests.Documents;

/// <summary>
/// The code in the documents is repeated here word for word, and these tests run it. Addresses, ports and files of the
/// documents are variables here.
/// </summary>
public sealed partial class DocumentTests
{
    private static readonly (string Shown, string Here)[] Variables =
        [("\"nats://127.0.0.1:4222\"", "url"), ("4222", "port"), ("\"user.creds\"", "file")];

    private static readonly string[][] Sources =
    [
        ["tests", "Broker.Client.Tests", "Documents", "DocumentTests.cs"],
        ["tests", "Broker.Client.Tests", "Support", "FirstProgram.cs"],
        ["tests", "Broker.Client.Tests", "Support", "EmbeddedProgram.cs"],
    ];

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public sealed record Order(string Article, int Pieces);

    public sealed record Price(decimal Amount);

    [JsonSerializable(typeof(Order))]
    [JsonSerializable(typeof(Price))]
    private sealed partial class OrdersJson : JsonSerializerContext;

    [Theory]
    [InlineData("docs/client.md", 5)]
    [InlineData("src/Broker.Client/README.md", 1)]
    [InlineData("README.md", 1)]
    public void Every_block_of_code_is_run_by_these_tests(string document, int blocks)
    {
        string here = string.Join('\n', Sources.SelectMany(static path => Lines(Pages.Read(path))));
        string[] shown = [.. Blocks(Pages.Read(document))];
        Assert.Equal(blocks, shown.Length);
        foreach (string block in shown)
        {
            string text = Variables.Aggregate(block, (t, v) => t.Replace(v.Shown, v.Here, StringComparison.Ordinal));
            Assert.Contains(string.Join('\n', Lines(text)), here, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData("docs/client.md", "FirstProgram.cs")]
    [InlineData("src/Broker.Client/README.md", "FirstProgram.cs")]
    [InlineData("README.md", "EmbeddedProgram.cs")]
    public void A_program_contains_all_the_usings_that_it_needs(string document, string program)
        => Assert.Equal(Usings(Pages.Read("tests", "Broker.Client.Tests", "Support", program)), Usings(Blocks(Pages.Read(document)).First()));

    [Fact]
    public void Each_log_event_is_on_the_page_with_its_level_and_no_id_is_used_twice()
    {
        var events = typeof(ClientLog).GetMethods(BindingFlags.Instance | BindingFlags.NonPublic)
            .Select(m => m.GetCustomAttribute<LoggerMessageAttribute>()).OfType<LoggerMessageAttribute>()
            .Select(a => (a.EventId, Level: a.Level.ToString().ToLowerInvariant())).Order().ToArray();

        var documented = Pages.Rows("client.md", "Log")
            .SelectMany(r => r[0].Split(", ").Zip(r[1].Split(", "), (id, level) => (int.Parse(id, CultureInfo.InvariantCulture), level))).ToArray();

        Assert.Equal(documented, events);
    }

    [Fact]
    public void Each_option_has_a_row_and_each_row_an_option()
    {
        var named = new SortedSet<string>(StringComparer.Ordinal);
        foreach (string[] row in Pages.Rows("client.md", "Options, compared with other clients"))
        {
            // "Tls.MinVersion`, `Configure": both are properties of Tls.
            string owner = "";
            foreach (string name in Pages.Code(row[0]))
            {
                int dot = name.IndexOf('.', StringComparison.Ordinal);
                owner = dot < 0 ? owner : name[..(dot + 1)];
                named.Add(dot < 0 ? owner + name : name);
            }
        }

        static IEnumerable<string> Of(Type type, string owner)
            => type.GetProperties(BindingFlags.Public | BindingFlags.Instance | BindingFlags.DeclaredOnly).Select(p => owner + p.Name);
        string[] there =
        [
            .. Of(typeof(ClientOptions), ""), .. Of(typeof(ClientTlsOptions), "Tls."), .. Of(typeof(QueueOptions), "QueueOptions."),
            .. Of(typeof(RequestManyOptions), "RequestManyOptions."),
        ];
        Assert.Equal(there.Order(StringComparer.Ordinal), named);
    }

    [Fact]
    public void Each_callback_is_on_the_page()
    {
        string[] callbacks =
        [
            .. typeof(ClientOptions).GetProperties().Select(static p => p.Name)
                .Where(static n => n.StartsWith("On", StringComparison.Ordinal)).Order(StringComparer.Ordinal),
        ];
        string[] named = [.. Pages.Code(Pages.Section("client.md", "Events")).Intersect(callbacks).Order(StringComparer.Ordinal)];
        Assert.Equal(callbacks, named);
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task The_first_program_prints_the_message(ServerKind kind)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        await Patient.WarmUpAsync(server.Url, Token);
        string printed = await PrintedBy(() => FirstProgram.RunAsync(server.Url));
        Assert.Equal("weather.oslo \"4 degrees\"", printed);
    }

    [Fact]
    public async Task The_embedded_server_of_the_readme_delivers_to_its_own_client()
        => Assert.Equal("9", await PrintedBy(() => EmbeddedProgram.RunAsync(0)));

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task Headers_are_sent_and_read(ServerKind kind)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        await using BrokerConnection nats = await Patient.ConnectAsync(server.Url, Token);
        await using QueuedSubscription received = nats.SubscribeQueued("a");
        nats.Publish("a", default, headers: new MessageHeaders { ["Trace"] = "1" });
        Assert.Equal("1", await HeadersAsync(nats, [1, 2], await received.Reader.ReadAsync(Token)));
        Message message = await received.Reader.ReadAsync(Token);
        Assert.Equal("text", message.Text);
        Assert.Equal("1", message.Headers["Trace"]);
        Assert.Equal([1, 2], (await received.Reader.ReadAsync(Token)).Body.ToArray());
        Assert.Equal("bytes", (await received.Reader.ReadAsync(Token)).Text);
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task Orders_get_their_prices(ServerKind kind)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        await using BrokerConnection nats = await Patient.ConnectAsync(server.Url, Token);
        Assert.Equal(new Price(10), await PriceAsync(nats, new Order("tea", 4)));
    }

    [Fact]
    public async Task A_credentials_file_is_enough()
    {
        var site = new OperatorSite();
        using var server = NatsServer.StartWithConfiguration(site.Configuration);
        string file = site.WriteCredentials();
        foreach (ClientOptions options in new[] { Credentials(file), Renewing(new ClientOptions(), file) })
        {
            await using BrokerConnection client = await Patient.ConnectAsync(options with { Servers = [server.Url] }, Token);
            await client.PingAsync(Token);
        }
    }

    private static async Task<string?> HeadersAsync(BrokerConnection nats, byte[] body, Message message)
    {
        nats.Publish("a", "text", headers: new MessageHeaders { ["Trace"] = "1" });
        nats.Publish("a", body);
        await nats.PublishAsync("a", "bytes"u8);
        string? trace = message.Headers["trace"];
        return trace;
    }

    private static async Task<Price> PriceAsync(BrokerConnection nats, Order order)
    {
        var orders = nats.WithEncoder(new JsonEncoder(OrdersJson.Default)); // a JsonSerializerContext: no reflection, fit for AOT
        orders.Subscribe<Order>("orders.price", (order, message) => orders.Respond(message, new Price(order.Pieces * 2.5m)));
        Price price = await orders.RequestAsync<Order, Price>("orders.price", order, TimeSpan.FromSeconds(30));
        return price;
    }

    private static ClientOptions Credentials(string file)
    {
        var user = UserCredentials.Load(file);
        var options = new ClientOptions { Servers = ["tls://nats.example"], Jwt = () => user.Jwt, Sign = user.Sign };
        return options;
    }

    private static ClientOptions Renewing(ClientOptions options, string file)
    {
        options = options with
        {
            GetCredentials = _ =>
            {
                var renewed = UserCredentials.Load(file);
                return new(new ConnectCredentials { Jwt = renewed.Jwt, Sign = renewed.Sign });
            },
        };
        return options;
    }

    private static async Task<string> PrintedBy(Func<Task> program)
    {
        TextWriter before = Console.Out;
        using var printed = new StringWriter(CultureInfo.InvariantCulture);
        Console.SetOut(TextWriter.Synchronized(printed));
        try
        {
            await Wait.For(program());
            return printed.ToString().Trim();
        }
        finally
        {
            Console.SetOut(before);
        }
    }

    private static IEnumerable<string> Blocks(string document)
        => document.Split("```csharp\n").Skip(1).Select(rest => rest[..rest.IndexOf("```", StringComparison.Ordinal)]);

    // Removes what depends on the place: indentation, empty lines and directives.
    private static IEnumerable<string> Lines(string text)
        => text.Split('\n').Select(static l => l.Trim()).Where(static l => l.Length != 0 && !IsUsing(l));

    private static string[] Usings(string text) => [.. text.Split('\n').Where(IsUsing)];

    private static bool IsUsing(string line) => line.StartsWith("using ", StringComparison.Ordinal) && !line.Contains('=', StringComparison.Ordinal);
}
