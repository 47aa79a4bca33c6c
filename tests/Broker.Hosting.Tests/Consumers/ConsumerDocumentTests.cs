using System.Collections.Concurrent;
using System.Text;
using System.Text.Json.Serialization;
using Broker.Client;
using Broker.Client.Streams;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;

namespace Broker.Hosting.Tests.Consumers;

/// <summary>The code about consumers on the page docs/hosting.md is below, line for line, and works.</summary>
public sealed class ConsumerDocumentTests
{
    private static readonly string[] Section =
    [
        .. File.ReadAllLines(Path.Combine(Repository.Root, "docs", "hosting.md"))
            .SkipWhile(static line => line != "## Consumers of streams").TakeWhile(static line => line != "## As a service"),
    ];

    [Fact]
    public void The_page_shows_the_code_of_these_tests()
    {
        string tests = File.ReadAllText(Path.Combine(Repository.Root, "tests", "Broker.Hosting.Tests", "Consumers", "ConsumerDocumentTests.cs"));

        Assert.All(Block("csharp"), line => Assert.Contains(line.Trim(), tests, StringComparison.Ordinal));
    }

    [Fact]
    public async Task The_code_of_the_page_runs_with_the_settings_of_the_page()
    {
        await using StreamSite site = await StreamSite.StartAsync();
        await site.PublishAsync("""{"Id":"tea"}""");
        using var json = new MemoryStream(Encoding.UTF8.GetBytes(string.Join('\n', Block("json"))));
        (string, string)[] settings =
        [
            .. new ConfigurationBuilder().AddJsonStream(json).Build().AsEnumerable().Where(static s => s.Value is not null).Select(static s => (s.Key, s.Value!)),
        ];
        var bills = new Bills();
        await using TestHost host = await site.StartHostAsync(services => AddAsOnThePage(services.AddSingleton<IBills>(bills)), settings);

        await Wait.UntilAsync(() => !bills.Written.IsEmpty);
        await site.SettledAsync();
        await Wait.UntilAsync(async () => await site.Streams.GetConsumerInfoAsync("ORDERS", "audit", TestContext.Current.CancellationToken)
            is { Pending: 0, AckPending: 0, Config.FilterSubject: "orders.>" });

        Assert.Equal(["tea 1"], bills.Written);
    }

    private static void AddAsOnThePage(IServiceCollection services)
    {
        var builder = new { Services = services };
        builder.Services.AddBrokerClient();
        builder.Services.AddBrokerConsumer<Order, Billing>("billing", new JsonEncoder(OrdersJson.Default), settings =>
        {
            settings.Stream = "ORDERS";
            settings.CreateConsumer = CreationPolicy.IfMissing;
        });
        builder.Services.AddBrokerConsumer<string>("audit", TextEncoder.Instance, (text, message, cancellationToken) =>
        {
            Console.WriteLine($"{message.Subject}: {text}");
            return ValueTask.CompletedTask;
        });
    }

    // The lines of the section's blocks in a language.
    private static List<string> Block(string language)
    {
        var lines = new List<string>();
        bool isInside = false;
        foreach (string line in Section)
        {
            if (line.StartsWith("```", StringComparison.Ordinal))
            {
                isInside = line == "```" + language;
            }
            else if (isInside && line.Length > 0)
            {
                lines.Add(line);
            }
        }

        Assert.NotEmpty(lines);
        return lines;
    }

    private sealed class Bills : IBills
    {
        public ConcurrentQueue<string> Written { get; } = new();

        public ValueTask WriteAsync(string order, ulong number, CancellationToken cancellationToken)
        {
            Written.Enqueue($"{order} {number}");
            return ValueTask.CompletedTask;
        }
    }
}

public sealed record Order(string Id);

public interface IBills
{
    ValueTask WriteAsync(string order, ulong number, CancellationToken cancellationToken);
}

public sealed class Billing(IBills bills) : IStreamHandler<Order>
{
    public ValueTask HandleAsync(Order value, StreamMessage message, CancellationToken cancellationToken)
        => bills.WriteAsync(value.Id, message.Sequence, cancellationToken);
}

[JsonSerializable(typeof(Order))]
internal sealed partial class OrdersJson : JsonSerializerContext;
