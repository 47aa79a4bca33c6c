using System.Runtime.CompilerServices;
using System.Text;

namespace Broker.Client.Streams;

/// <summary>
/// Reads the messages of a pull consumer. Thread-safe: several readers share the messages. It holds nothing on the
/// server while nobody reads, except subscriptions of <see cref="NextAsync"/>: a <see cref="StreamsClient"/> keeps up
/// to 64 of them for the next calls.
/// </summary>
public sealed class StreamConsumer
{
    private static readonly TimeSpan DefaultExpires = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan LeastExpires = TimeSpan.FromMilliseconds(1);

    private readonly ConsumerManager _consumers;
    private readonly NextSlots _nextSlots;
    private readonly Lazy<NextTarget> _nextTarget;
    private NextRequest? _nextRequest;

    internal StreamConsumer(ConsumerManager consumers, NextSlots nextSlots, ConsumerInfo info)
    {
        _consumers = consumers;
        _nextSlots = nextSlots;
        Info = info;
        _nextTarget = new Lazy<NextTarget>(() => new NextTarget(
            info.Stream, info.Name, Encoding.UTF8.GetBytes(consumers.Api.SubjectOf($"CONSUMER.MSG.NEXT.{info.Stream}.{info.Name}")),
            new MessageCopier(consumers.Api, info.Stream, info.Name)));
    }

    /// <summary>The name of the consumer.</summary>
    public string Name => Info.Name;

    /// <summary>The name of the stream.</summary>
    public string Stream => Info.Stream;

    /// <summary>The consumer as it was when this object was created.</summary>
    public ConsumerInfo Info { get; }

    /// <summary>
    /// Reads messages without end: <c>await foreach (StreamMessage message in consumer.ConsumeAsync())</c>. Acknowledge
    /// each message when it is handled.
    /// </summary>
    /// <remarks>
    /// <para>After a reconnect, messages are requested again at once. If the server is silent, stops or gives the
    /// consumer to another server, they are requested again too.</para>
    /// <para>When the enumeration is left by <c>break</c> or an exception, messages that were not read yet are refused,
    /// so that the server delivers them again at once.</para>
    /// </remarks>
    /// <param name="options">The options. Null for the defaults.</param>
    /// <param name="cancellationToken">Requests no more messages. The enumeration returns the messages that are here
    /// and on their way, and then it throws <see cref="OperationCanceledException"/>.</param>
    /// <exception cref="ConsumerGoneException">The consumer was deleted or is gone.</exception>
    /// <exception cref="StreamException">The stream is gone, the server refused the request, or the connection was
    /// closed.</exception>
    /// <exception cref="ArgumentException">An option is out of its range.</exception>
    public IAsyncEnumerable<StreamMessage> ConsumeAsync(ConsumeOptions? options = null, CancellationToken cancellationToken = default)
    {
        options ??= new ConsumeOptions();
        options.Validate();
        return ReadAsync(
            new ConsumptionPlan(
                options.MaxMessages, options.MaxBytes, options.Expires, options.Heartbeat, Once: false, Progress: options.ReportProgressEvery,
                Drain: options.DrainOnCancel, Recreate: options.RecreateMissing),
            cancellationToken);
    }

    /// <summary>
    /// Reads some messages: the enumeration ends when as many have come, when their size is reached, or when the server
    /// has waited for <see cref="FetchOptions.Expires"/>.
    /// </summary>
    /// <inheritdoc cref="ConsumeAsync"/>
    /// <param name="options">The options. Null for the defaults.</param>
    /// <param name="cancellationToken">Ends the enumeration as for <see cref="ConsumeAsync"/>.</param>
    public IAsyncEnumerable<StreamMessage> FetchAsync(FetchOptions? options = null, CancellationToken cancellationToken = default)
    {
        options ??= new FetchOptions();
        options.Validate();
        return ReadAsync(PlanOf(options), cancellationToken);
    }

    /// <summary>Reads one message. Returns null if none came in time.</summary>
    /// <param name="expires">How long the server waits for a message. Null for 30 s.</param>
    /// <param name="cancellationToken">Ends the wait. A message that is on its way is still returned.</param>
    /// <exception cref="ConsumerGoneException">The consumer was deleted or is gone.</exception>
    /// <exception cref="StreamException">The stream is gone, the server refused the request, or the connection was
    /// closed.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<StreamMessage?> NextAsync(TimeSpan? expires = null, CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        TimeSpan patience = expires ?? DefaultExpires;
        NextRequest request = _nextRequest is { } last && last.Expires == patience ? last : NewRequest(patience);
        long began = Environment.TickCount64;
        NextAnswer answer = _consumers.Api.Connection.State == ConnectionState.Connected
            ? await AskAsync(request, cancellationToken).ConfigureAwait(false)
            : new NextAnswer(NextKind.Other, default);
        if (answer.Kind != NextKind.Other)
        {
            return answer.Kind == NextKind.Message ? answer.Message : null;
        }

        // An error, or no server is connected.
        TimeSpan rest = patience - TimeSpan.FromMilliseconds(Environment.TickCount64 - began);
        ConsumptionPlan plan = PlanOf(OneMessage(rest > LeastExpires ? rest : LeastExpires));
        await foreach (StreamMessage message in ReadAsync(plan, cancellationToken).ConfigureAwait(false))
        {
            return message;
        }

        return null;
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<NextAnswer> AskAsync(NextRequest request, CancellationToken cancellationToken)
    {
        NextSlot slot = _nextSlots.Rent();
        try
        {
            ValueTask<NextAnswer> answer = slot.SendAsync(_nextTarget.Value, request, cancellationToken);
            using CancellationTokenRegistration registration = cancellationToken.UnsafeRegister(static state => ((NextSlot)state!).Cancel(), slot);
            return await answer.ConfigureAwait(false);
        }
        finally
        {
            _nextSlots.Return(slot);
        }
    }

    private NextRequest NewRequest(TimeSpan expires)
    {
        FetchOptions options = OneMessage(expires);
        options.Validate();
        return _nextRequest = new NextRequest(expires, PullRequest.Create(PlanOf(options), 1, options.MaxBytes));
    }

    private static FetchOptions OneMessage(TimeSpan expires) => new() { MaxMessages = 1, Expires = expires };

    private static ConsumptionPlan PlanOf(FetchOptions options)
    {
        // A heartbeat is of use only if the wait is long.
        TimeSpan heartbeat = options.Expires >= TimeSpan.FromSeconds(2) ? options.Expires / 2 : TimeSpan.Zero;
        return new ConsumptionPlan(options.MaxMessages, options.MaxBytes, options.Expires, heartbeat, Once: true, options.NoWait);
    }

    private async IAsyncEnumerable<StreamMessage> ReadAsync(ConsumptionPlan plan, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var consumption = new Consumption(_consumers, Info, plan);
        consumption.Start();
        using CancellationTokenRegistration registration = cancellationToken.UnsafeRegister(
            static (state, token) => ((Consumption)state!).Cancel(token), consumption);
        try
        {
            while (await consumption.WaitAsync().ConfigureAwait(false))
            {
                while (consumption.TryRead(out StreamMessage message))
                {
                    yield return message;
                    consumption.Release(in message);
                }
            }
        }
        finally
        {
            await consumption.EndAsync().ConfigureAwait(false);
        }
    }
}
