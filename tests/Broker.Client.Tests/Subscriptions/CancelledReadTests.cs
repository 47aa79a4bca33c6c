using System.Runtime.CompilerServices;
using System.Text;
using Broker.Client.Tests.Support;

namespace Broker.Client.Tests.Subscriptions;

/// <summary>The cancellation of a reader whose queue is never empty.</summary>
public sealed class CancelledReadTests
{
    // A reader that ignores its token would never end.
    private const int Most = 1000;

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("bytes")]
    [InlineData("values")]
    [InlineData("replies")]
    public async Task A_cancelled_reader_ends_with_the_messages_that_wait_while_more_come(string form)
    {
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options, Token);
        await using BrokerConnection other = await Patient.ConnectAsync(server.Options, Token);
        string target = "a";
        using Subscription answers = other.Subscribe("ask", (in MessageView m) =>
        {
            target = Encoding.UTF8.GetString(m.ReplyTo);
            m.Respond("1"u8);
        });
        await other.PingAsync(Token);
        using var cancel = new CancellationTokenSource();
        await using IAsyncEnumerator<int> reader = Read(form, client, cancel.Token).GetAsyncEnumerator(Token);
        ValueTask<bool> next = reader.MoveNextAsync();
        await client.PingAsync(Token);
        if (form != "replies")
        {
            client.Publish("a", "1"u8);
        }

        int read = 0;
        int afterCancel = 0;
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () =>
        {
            while (await Wait.For(next.AsTask()))
            {
                Assert.True(read++ < Most, "The reader ignores its token.");
                afterCancel += cancel.IsCancellationRequested ? 1 : 0;
                for (int i = 0; i < 2; i++)
                {
                    client.Publish(target, "1"u8);
                }

                // After the PONG both wait in the queue.
                await client.PingAsync(Token);
                if (read == 3)
                {
                    await cancel.CancelAsync();
                }

                next = reader.MoveNextAsync();
            }
        });
        // One message at first and two for each that was read, of which three were read before.
        Assert.Equal(1 + (3 * 2) - 3, afterCancel);
        Assert.Equal(0, client.Core.Requester.Pending);
    }

    [Fact]
    public async Task The_token_of_a_reader_of_a_subscription_leaves_the_waiting_messages_in_the_queue()
    {
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options, Token);
        await using QueuedSubscription queued = client.SubscribeQueued("a");
        for (int i = 0; i < 10; i++)
        {
            client.Publish("a", default);
        }

        await client.PingAsync(Token);
        using var cancel = new CancellationTokenSource();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () =>
        {
            await foreach (Message _ in queued.ReadAllAsync(cancel.Token))
            {
                await cancel.CancelAsync();
            }
        });
        Assert.Equal(9, queued.GetStatistics().Pending);
        Assert.True(queued.Subscription.IsActive);
    }

    private static async IAsyncEnumerable<int> Read(string form, BrokerConnection client, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        if (form == "values")
        {
            await foreach (int value in new EncodedConnection(client, TextEncoder.Instance).ReadAsync<int>("a", cancellationToken: cancellationToken))
            {
                yield return value;
            }

            yield break;
        }

        IAsyncEnumerable<Message> messages = form == "bytes"
            ? client.ReadAsync("a", cancellationToken: cancellationToken)
            : client.RequestManyAsync("ask", default, new() { Deadline = TimeSpan.FromMinutes(10) }, cancellationToken: cancellationToken);
        await foreach (Message message in messages)
        {
            yield return message.Body.Length;
        }
    }
}
