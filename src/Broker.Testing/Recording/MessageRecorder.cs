using System.Text;
using Broker.Client;
using Broker.Client.Errors;
using Broker.Client.Subscriptions;
using Broker.Protocol.Subjects;

namespace Broker.Testing.Recording;

/// <summary>
/// Keeps what is published to the subjects of a filter, in the order of arrival, and tells a test whether that is what it expects.
/// </summary>
/// <remarks>
/// Thread-safe. Expectations that fail throw <see cref="ExpectationException"/> with what has come. It keeps up to
/// <see cref="MostMessages"/> messages or 64 MiB, and fails every expectation once there was more.
/// </remarks>
public sealed class MessageRecorder : IAsyncDisposable
{
    /// <summary>How many messages it keeps.</summary>
    public const int MostMessages = 100_000;

    private const long MostBytes = 64L * 1024 * 1024;

    private readonly BrokerConnection _connection;
    private readonly RecorderRegister? _register;
    private readonly Lock _gate = new();
    private readonly List<RecordedMessage> _messages = [];
    private TaskCompletionSource _changed = NewSignal();
    private Subscription? _subscription;
    private long _bytes;
    private bool _overflowed;
    private int _disposed;

    private MessageRecorder(BrokerConnection connection, string filter, RecorderRegister? register, TimeSpan patience)
    {
        _connection = connection;
        _register = register;
        Filter = filter;
        Patience = patience;
    }

    /// <summary>What it records.</summary>
    public string Filter { get; }

    /// <summary>After how long a wait gives up. Default 30 s, or that of the broker it is of.</summary>
    public TimeSpan Patience { get; }

    /// <summary>What has come so far: a copy, in order.</summary>
    public IReadOnlyList<RecordedMessage> Messages
    {
        get
        {
            lock (_gate)
            {
                return [.. _messages];
            }
        }
    }

    /// <summary>Records by a connection of the caller's, to whichever server: from the return on, each message that is published.</summary>
    /// <param name="connection">Stays the caller's, and must outlive this.</param>
    /// <param name="filter">The subject, in which <c>*</c> stands for one token and a last <c>&gt;</c> for one or more.</param>
    /// <param name="patience">See <see cref="Patience"/>; null for the default.</param>
    /// <param name="cancellationToken">Ends the attempt.</param>
    /// <exception cref="ArgumentException">The filter is not valid.</exception>
    /// <exception cref="ConnectionLostException">There is no server.</exception>
    public static Task<MessageRecorder> StartAsync(
        BrokerConnection connection, string filter, TimeSpan? patience = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(connection);
        TimeSpan limit = patience ?? Waiting.DefaultPatience;
        Waiting.Validate(limit);
        return StartAsync(connection, filter, null, limit, cancellationToken);
    }

    internal static async Task<MessageRecorder> StartAsync(
        BrokerConnection connection, string filter, RecorderRegister? register, TimeSpan patience, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(filter);
        var recorder = new MessageRecorder(connection, filter, register, patience);
        // Known before the server knows of it, and until it has forgotten it.
        register?.Add(filter);
        try
        {
            recorder._subscription = connection.Subscribe(filter, recorder.Take);
            await connection.PingAsync(cancellationToken).ConfigureAwait(false);
            return recorder;
        }
        catch
        {
            await recorder.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Waits until at least so many messages have come.</summary>
    /// <returns>All that have.</returns>
    /// <exception cref="ExpectationException">There were less within <see cref="Patience"/>.</exception>
    public Task<IReadOnlyList<RecordedMessage>> WaitForCountAsync(int count, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        return WaitAsync<IReadOnlyList<RecordedMessage>>(
            m => m.Count >= count ? [.. m] : null, () => $"at least {Expectations.Count(count, "message")}", cancellationToken);
    }

    /// <summary>Waits for a message to the subjects of a filter, with a text if one is given.</summary>
    /// <param name="subject">A subject or a filter.</param>
    /// <param name="text">What the body is as UTF-8; null for whatever it is.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>The first such message, which may have come before the call.</returns>
    /// <exception cref="ExpectationException">None came within <see cref="Patience"/>.</exception>
    public Task<RecordedMessage> WaitForAsync(string subject, string? text = null, CancellationToken cancellationToken = default)
    {
        byte[] filter = Encoding.UTF8.GetBytes(subject ?? throw new ArgumentNullException(nameof(subject)));
        return WaitAsync(
            messages => messages.Find(m => Subject.Matches(filter, Encoding.UTF8.GetBytes(m.Subject))
                && (text is null || string.Equals(m.Text, text, StringComparison.Ordinal))),
            () => $"a message '{subject}{(text is null ? "" : $": {text}")}'",
            cancellationToken);
    }

    /// <summary>Waits for a message of which something is true.</summary>
    /// <param name="holds">Called for each message, perhaps several times, on whichever thread.</param>
    /// <param name="what">Names in a failure what was waited for.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>The first such message, which may have come before the call.</returns>
    /// <exception cref="ExpectationException">None came within <see cref="Patience"/>.</exception>
    public Task<RecordedMessage> WaitForAsync(Predicate<RecordedMessage> holds, string what, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(holds);
        ArgumentNullException.ThrowIfNull(what);
        return WaitAsync(messages => messages.Find(holds), () => what, cancellationToken);
    }

    /// <summary>
    /// Waits for as many messages as there are texts, then compares: these bodies in this order, and nothing after them that was published,
    /// and flushed by who published it, before.
    /// </summary>
    /// <exception cref="ExpectationException">Others came, or not as many.</exception>
    public async Task AssertTextsAsync(params string[] texts)
    {
        ArgumentNullException.ThrowIfNull(texts);
        await WaitForCountAsync(texts.Length).ConfigureAwait(false);
        await SettleAsync(CancellationToken.None).ConfigureAwait(false);
        IReadOnlyList<RecordedMessage> came = Messages;
        if (!came.Select(m => m.Text).SequenceEqual(texts, StringComparer.Ordinal))
        {
            throw Failure($"exactly the texts {string.Join(", ", texts.Select(t => $"'{t}'"))}", came, waited: false);
        }
    }

    /// <summary>
    /// Holds if exactly so many messages have come of those that were published, and flushed by who published them, before. With 0: that
    /// there was none.
    /// </summary>
    /// <exception cref="ExpectationException">There were more, or not as many within <see cref="Patience"/>.</exception>
    public async Task AssertCountAsync(int count, CancellationToken cancellationToken = default)
    {
        await WaitForCountAsync(count, cancellationToken).ConfigureAwait(false);
        await SettleAsync(cancellationToken).ConfigureAwait(false);
        IReadOnlyList<RecordedMessage> came = Messages;
        if (came.Count != count)
        {
            throw Failure($"exactly {Expectations.Count(count, "message")}", came, waited: false);
        }
    }

    /// <summary>Forgets what has come.</summary>
    public void Clear()
    {
        lock (_gate)
        {
            _messages.Clear();
            _bytes = 0;
            _overflowed = false;
        }
    }

    /// <summary>Records no more. What has come can still be looked at.</summary>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _disposed, 1) != 0)
        {
            return;
        }

        _subscription?.Unsubscribe();
        try
        {
            // Counted among the subscriptions until the server has none of it.
            await _connection.PingAsync().ConfigureAwait(false);
        }
        catch (ClientException)
        {
            // Then it has none either.
        }

        _register?.Remove(Filter);
    }

    private static TaskCompletionSource NewSignal() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    // On the connection's loop.
    private void Take(in MessageView view)
    {
        TaskCompletionSource changed;
        lock (_gate)
        {
            int size = view.Subject.Length + view.ReplyTo.Length + view.Headers.Length + view.Body.Length;
            if (_messages.Count >= MostMessages || _bytes + size > MostBytes)
            {
                _overflowed = true;
            }
            else
            {
                _messages.Add(new RecordedMessage(view.ToMessage()));
                _bytes += size;
            }

            changed = _changed;
            _changed = NewSignal();
        }

        changed.TrySetResult();
    }

    // What the server had for this connection before the question lies before the answer.
    private async Task SettleAsync(CancellationToken cancellationToken)
    {
        await _connection.PingAsync(cancellationToken).WaitAsync(Patience, cancellationToken).ConfigureAwait(false);
        lock (_gate)
        {
            ThrowIfOverflowed();
        }
    }

    private async Task<T> WaitAsync<T>(Func<List<RecordedMessage>, T?> find, Func<string> what, CancellationToken cancellationToken)
        where T : class
    {
        using var patience = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        patience.CancelAfter(Patience);
        while (true)
        {
            Task changed;
            lock (_gate)
            {
                ThrowIfOverflowed();
                if (find(_messages) is { } found)
                {
                    return found;
                }

                changed = _changed.Task;
            }

            try
            {
                await changed.WaitAsync(patience.Token).ConfigureAwait(false);
            }
            catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
            {
                throw Failure(what(), Messages, waited: true);
            }
        }
    }

    private ExpectationException Failure(string expected, IReadOnlyList<RecordedMessage> came, bool waited)
        => new(Expectations.Text(
            $"Expected {expected} on '{Filter}'{(waited ? $" within {Waiting.Describe(Patience)}" : "")}. What came:",
            [.. came.Select(m => m.ToString())]));

    // Under the gate.
    private void ThrowIfOverflowed()
    {
        if (_overflowed)
        {
            throw new ExpectationException(
                $"More came on '{Filter}' than a recorder keeps ({Expectations.Count(_messages.Count, "message")}, {_bytes} bytes). Record a narrower filter, or clear it in between.");
        }
    }
}
