namespace Broker.Transport.Tests;

/// <summary>
/// Tests the behaviour that all transports have in common. One derived class per transport runs them.
/// </summary>
public abstract partial class TransportCompliance(TransportKind kind)
{
    private protected TransportKind Kind => kind;

    // A handshake takes milliseconds.
    private bool IsTls => kind is TransportKind.Tls or TransportKind.PortableTls or TransportKind.UpgradedTls or TransportKind.TlsOverPipe;

    private protected static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    private protected static Task<T> Soon<T>(Task<T> task) => task.WaitAsync(ConnectionPairs.WaitLimit, Cancellation);

    private protected static Task Soon(Task task) => task.WaitAsync(ConnectionPairs.WaitLimit, Cancellation);

    private static TaskCompletionSource Signal() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private protected static byte[] Pattern(int length, int seed = 1)
    {
        byte[] bytes = new byte[length];
        new Random(seed).NextBytes(bytes);
        return bytes;
    }

    private static Probe Echo() => new()
    {
        WhenReceived = static (Connection connection, ReadOnlySpan<byte> bytes, ref int _) =>
        {
            connection.GetWriteBuffer(connection.Loop).Write(bytes);
            return bytes.Length;
        },
    };

    // Collects everything, and completes when the expected number of bytes is there.
    private protected static (Probe Probe, Task<byte[]> All) Collector(int expected)
    {
        var all = new TaskCompletionSource<byte[]>(TaskCreationOptions.RunContinuationsAsynchronously);
        byte[] collected = new byte[expected];
        int length = 0;
        var probe = new Probe
        {
            WhenReceived = (Connection _, ReadOnlySpan<byte> bytes, ref int _) =>
            {
                bytes.CopyTo(collected.AsSpan(length));
                length += bytes.Length;
                if (length == expected)
                {
                    all.TrySetResult(collected);
                }

                return bytes.Length;
            },
        };
        return (probe, all.Task);
    }
}

public sealed class EpollTests() : TransportComplianceInClear(TransportKind.Epoll);

public sealed class PortableTests() : TransportComplianceInClear(TransportKind.Portable);

public sealed class InProcessTests() : TransportComplianceInClear(TransportKind.InProcess);

public sealed class TlsTests() : TransportCompliance(TransportKind.Tls);

public sealed class PortableTlsTests() : TransportCompliance(TransportKind.PortableTls);

public sealed class UpgradedTlsTests() : TransportCompliance(TransportKind.UpgradedTls);

public sealed class PipeTests() : TransportComplianceInClear(TransportKind.Pipe);

public sealed class TlsOverPipeTests() : TransportCompliance(TransportKind.TlsOverPipe);

public sealed class RecordsTests() : TransportComplianceInRecords(TransportKind.Records);

public sealed class PortableRecordsTests() : TransportComplianceInRecords(TransportKind.PortableRecords);
