namespace NetMQ.Sockets;

public partial class RequestSocket
{
    /// <summary>
    /// Sends a request and waits for its reply. If there is none in time, a new socket sends the request again.
    /// </summary>
    /// <param name="address">The address of the server.</param>
    /// <param name="requestMessage">The request, which stays unchanged.</param>
    /// <param name="numTries">How many times the request is sent at most.</param>
    /// <param name="requestTimeout">How long each try waits.</param>
    /// <param name="progressPublisher">
    /// Publishes <c>Send</c>, <c>Success</c>, <c>Retry</c> and <c>Failure</c>; null publishes nothing.
    /// </param>
    /// <returns>The reply; null if there was none.</returns>
    public static NetMQMessage? RequestResponseMultipartMessageWithRetry(
        string address,
        NetMQMessage requestMessage,
        int numTries,
        TimeSpan requestTimeout,
        PublisherSocket? progressPublisher = null)
    {
        for (int i = 0; i < numTries; i++)
        {
            using var socket = new RequestSocket(address);
            progressPublisher?.SendFrame("Send");
            NetMQMessage? reply = null;
            if (socket.TrySendMultipartMessage(requestTimeout, requestMessage)
                && socket.TryReceiveMultipartMessage(requestTimeout, ref reply))
            {
                progressPublisher?.SendFrame("Success");
                return reply;
            }

            progressPublisher?.SendFrame("Retry");
        }

        progressPublisher?.SendFrame("Failure");
        return null;
    }

    /// <summary>
    /// As <see cref="RequestResponseMultipartMessageWithRetry"/>, with strings in UTF-8 as the request and the reply.
    /// </summary>
    public static string? RequestResponseStringWithRetry(
        string address,
        string requestString,
        int numTries,
        TimeSpan requestTimeout,
        PublisherSocket? progressPublisher = null)
    {
        var request = new NetMQMessage(1);
        request.Append(requestString);
        return RequestResponseMultipartMessageWithRetry(address, request, numTries, requestTimeout, progressPublisher)
            ?.First.ConvertToString();
    }
}
