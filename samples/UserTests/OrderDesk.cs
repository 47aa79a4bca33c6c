using System.Globalization;
using System.Text;
using Broker.Client;

namespace UserTests;

/// <summary>
/// The program under test: it receives orders, publishes which of them are accepted, and replies to requests for their
/// number.
/// </summary>
public sealed class OrderDesk : IAsyncDisposable
{
    private readonly BrokerConnection _connection;
    private int _accepted;

    private OrderDesk(BrokerConnection connection)
    {
        _connection = connection;
        connection.Subscribe("orders.new", Decide, queue: "desk");
        connection.Subscribe("orders.count", Count);
    }

    /// <summary>Receives orders from a NATS server, and reconnects after a loss.</summary>
    public static async Task<OrderDesk> OpenAsync(string server)
    {
        var options = new ClientOptions { Servers = [server], ConnectTimeout = TimeSpan.FromSeconds(30), ReconnectWait = TimeSpan.FromMilliseconds(20) };
        return new OrderDesk(await BrokerConnection.ConnectAsync(options));
    }

    public ValueTask DisposeAsync() => _connection.DisposeAsync();

    private void Decide(in MessageView order)
    {
        bool isNumber = int.TryParse(order.Body, NumberStyles.None, CultureInfo.InvariantCulture, out int pieces);
        if (isNumber && pieces is > 0 and <= 100)
        {
            _accepted++;
            _connection.Publish("orders.accepted", order.Body);
        }
        else
        {
            _connection.Publish("orders.refused", order.Body);
        }
    }

    private void Count(in MessageView question) => question.Respond(Encoding.UTF8.GetBytes(_accepted.ToString(CultureInfo.InvariantCulture)));
}
