namespace Broker.Transport.Tests.Outbound;

/// <summary>
/// Tests the low-water callbacks of a shrinking queue, in clear and with ciphertext, which counts as buffered too. On
/// one thread, with a peer that accepts as much as the test allows.
/// </summary>
public sealed class LowWaterTests : IDisposable
{
    private const int Mebibyte = 1024 * 1024;
    private const int Written = 3 * Mebibyte;
    private const int Step = 16 * 1024;

    // More than one iteration sends in clear, and little compared with what is encrypted in the next one.
    private const int Taken = 530_000;

    private readonly EventLoopGroup _group = new(new EventLoopOptions { Loops = 1, CallerDriven = true });

    public void Dispose() => _group.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void OnLowWater_is_called_once_as_the_queue_shrinks_wherever_the_mark_is(bool inRecords)
    {
        for (int mark = Step; mark < Written; mark += Step)
        {
            int told = 0;
            Fall(inRecords, connection => connection.LowWaterBytes = mark, _ => told++);
            Assert.Equal((mark, 1), (mark, told));
        }
    }

    [Fact]
    public void A_requested_OnLowWater_comes_at_the_mark_if_ciphertext_raised_the_queue_above_it()
    {
        int lifted = 0;
        // Marks that the last part does not cross.
        for (int mark = Mebibyte; mark < Written; mark += Step)
        {
            int told = 0;
            long heldWhenTold = -1;
            bool isLifted = false;
            Fall(
                inRecords: true,
                connection => connection.LowWaterBytes = mark,
                connection => (told, heldWhenTold) = (told + 1, connection.BufferedBytes),
                connection =>
                {
                    if (told == 1 && !isLifted && connection.BufferedBytes > mark)
                    {
                        isLifted = true;
                        connection.RequestLowWater();
                    }
                });
            Assert.Equal((mark, isLifted ? 2 : 1), (mark, told));
            Assert.True(!isLifted || heldWhenTold > 0, $"of {mark} it was told when nothing was left");
            lifted += isLifted ? 1 : 0;
        }

        Assert.NotEqual(0, lifted);
    }

    // Flushes everything at once, and lets the peer accept it in equal parts.
    private void Fall(bool inRecords, Action<Connection> prepare, Action<Connection> whenLowWater, Action<Connection>? afterTurn = null)
    {
        EventLoop loop = _group[0];
        loop.Attach();
        var probe = new Probe { WhenLowWater = whenLowWater };
        var connection = new MeteredConnection(loop, inRecords ? new RecordsHandler(probe) : probe);
        connection.Open();
        while (loop.RunOnce(TimeSpan.Zero))
        {
        }

        prepare(connection);
        connection.GetWriteBuffer(loop).Write(new byte[Written]);
        loop.RunOnce(TimeSpan.Zero);
        long before = long.MaxValue;
        while (connection.BufferedBytes != 0)
        {
            Assert.NotEqual(before, connection.PendingBytes);
            before = connection.PendingBytes;
            connection.Allow(Taken);
            do
            {
                afterTurn?.Invoke(connection);
            }
            while (loop.RunOnce(TimeSpan.Zero));
        }

        connection.Close();
        while (loop.RunOnce(TimeSpan.Zero))
        {
        }
    }
}
