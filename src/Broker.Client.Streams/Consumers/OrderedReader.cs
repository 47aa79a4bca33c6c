using System.Runtime.CompilerServices;

namespace Broker.Client.Streams;

/// <summary>
/// Reads the messages of a stream in order and without gaps, without acknowledgements. It uses a push consumer that the
/// server keeps in memory, and creates another one from the next message on after a gap, a silent server or a
/// reconnect.
/// </summary>
/// <param name="consumers">The requests about consumers.</param>
/// <param name="stream">The name of the stream.</param>
/// <param name="template">The first message, the filters, and whether only headers are delivered.</param>
/// <param name="heartbeat">The pause after which the server sends a heartbeat.</param>
internal sealed class OrderedReader(ConsumerManager consumers, string stream, ConsumerConfig template, TimeSpan heartbeat)
{
    private static readonly TimeSpan RetryPause = TimeSpan.FromMilliseconds(100);

    private ulong _last;

    /// <summary>Called with the number of messages that wait when the first consumer has been created.</summary>
    internal Action<ulong>? OnStarted { get; init; }

    /// <summary>Reads until the token is cancelled. The enumeration throws then.</summary>
    /// <param name="cancellationToken">Ends the enumeration at once.</param>
    /// <exception cref="StreamException">The stream is gone, or the connection was closed.</exception>
    internal async IAsyncEnumerable<StreamMessage> ReadAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        bool started = false;
        while (true)
        {
            using var delivery = new PushDelivery(consumers.Api, stream, heartbeat);
            using CancellationTokenRegistration registration = cancellationToken.UnsafeRegister(
                static (state, token) => ((PushDelivery)state!).Cancel(token), delivery);
            if (await CreateAsync(delivery, retry: started, cancellationToken).ConfigureAwait(false) is not { } created)
            {
                await Task.Delay(RetryPause, cancellationToken).ConfigureAwait(false);
                continue;
            }

            if (!started)
            {
                started = true;
                OnStarted?.Invoke(created.Pending);
            }

            ulong expected = 1;
            while (await delivery.WaitAsync().ConfigureAwait(false))
            {
                bool isWhole = true;
                while (isWhole && delivery.TryRead(out StreamMessage message))
                {
                    // The check comes after the queue, so that it also finds what a queue would drop.
                    isWhole = message.ConsumerSequence == expected;
                    if (isWhole)
                    {
                        expected++;
                        _last = message.Sequence;
                        yield return message;
                        delivery.Release();
                    }

                    cancellationToken.ThrowIfCancellationRequested();
                }

                if (!isWhole)
                {
                    break;
                }
            }
        }
    }

    // Returns null if the next attempt may succeed.
    private async Task<ConsumerInfo?> CreateAsync(PushDelivery delivery, bool retry, CancellationToken cancellationToken)
    {
        ConsumerConfig config = template with
        {
            Name = null,
            Durable = null,
            AckPolicy = AckPolicy.None,
            MaxDeliver = 1,
            MemoryStorage = true,
            Replicas = 1,
            DeliverSubject = delivery.Subject,
            FlowControl = true,
            IdleHeartbeat = heartbeat,
        };
        if (_last > 0)
        {
            config = config with { DeliverPolicy = DeliverPolicy.FromSequence, StartSequence = _last + 1, StartTime = null };
        }

        try
        {
            ConsumerInfo created = await consumers.ChangeAsync(stream, config, null, cancellationToken).ConfigureAwait(false);
            delivery.Name = created.Name;
            return created;
        }
        catch (Exception e) when (retry && IsPassing(e))
        {
            if (consumers.Api.Connection.State == ConnectionState.Closed)
            {
                throw new StreamException($"The connection was closed while the stream '{stream}' was read.", e);
            }

            return null;
        }
    }

    private static bool IsPassing(Exception e) => e is StreamException { Status: 503 } or TimeoutException or ClientException;
}
