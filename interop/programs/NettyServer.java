import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.handler.codec.quic.InsecureQuicTokenHandler;
import io.netty.handler.codec.quic.QLogConfiguration;
import io.netty.handler.codec.quic.QuicChannelOption;
import io.netty.handler.codec.quic.QuicServerCodecBuilder;
import io.netty.handler.codec.quic.QuicSslContext;
import io.netty.handler.codec.quic.QuicSslContextBuilder;
import io.netty.handler.codec.quic.QuicStreamChannel;
import java.io.File;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * The least that a user of Netty's QUIC codec writes for a server: HTTP/0.9 over QUIC, where {@code GET /1000000} is
 * answered with that many bytes. It selects no congestion controller.
 *
 * <p>Arguments: port, certificate chain, private key, folder for traces.
 */
public final class NettyServer {

    public static void main(String[] arguments) throws InterruptedException {
        int port = Integer.parseInt(arguments[0]);
        QuicSslContext tls =
                QuicSslContextBuilder.forServer(new File(arguments[2]), null, new File(arguments[1]))
                        .applicationProtocols("hq-interop")
                        .build();
        QuicServerCodecBuilder codec =
                new QuicServerCodecBuilder()
                        .sslContext(tls)
                        .maxIdleTimeout(5, TimeUnit.SECONDS)
                        .initialMaxData(1_000_000)
                        .initialMaxStreamDataBidirectionalRemote(100_000)
                        .initialMaxStreamsBidirectional(100)
                        .tokenHandler(InsecureQuicTokenHandler.INSTANCE)
                        .option(QuicChannelOption.QLOG, new QLogConfiguration(arguments[3], "netty", "netty"))
                        .handler(new ChannelInboundHandlerAdapter())
                        .streamHandler(
                                new ChannelInitializer<QuicStreamChannel>() {
                                    @Override
                                    protected void initChannel(QuicStreamChannel stream) {
                                        stream.pipeline().addLast(new Answer());
                                    }
                                });
        MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        Channel socket =
                new Bootstrap()
                        .group(group)
                        .channel(NioDatagramChannel.class)
                        .handler(codec.build())
                        .bind(new InetSocketAddress("127.0.0.1", port))
                        .sync()
                        .channel();
        socket.closeFuture().sync();
    }

    private static final class Answer extends ChannelInboundHandlerAdapter {

        private final StringBuilder request = new StringBuilder();

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            request.append(bytes.toString(StandardCharsets.US_ASCII));
            bytes.release();
            if (request.indexOf("\n") >= 0) {
                int size = Integer.parseInt(request.substring(5).trim());
                context.writeAndFlush(Unpooled.wrappedBuffer(new byte[size]))
                        .addListener(QuicStreamChannel.SHUTDOWN_OUTPUT);
            }
        }
    }
}
